# /// case
# id = "shape-04-slice-of-traced-length"
# kind = "dynamic-shape"
# expect = "report"
# findings = [16]
# ///
"""A slice whose length is traced has no static shape."""

import jax
import jax.numpy as jnp


@jax.jit
def head(x):
    count = jnp.sum(x > 0)
    return x[:count]


def main():
    return [head(jnp.array([1.0, 2.0, -1.0])), head(jnp.array([-1.0, 0.0]))]
