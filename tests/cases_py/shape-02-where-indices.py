# /// case
# id = "shape-02-where-indices"
# kind = "dynamic-shape"
# expect = "report"
# findings = [15]
# ///
"""The positions themselves are returned: their number depends on the data."""

import jax
import jax.numpy as jnp


@jax.jit
def positions(x):
    return jnp.where(x > 0.0)[0]


def main():
    return [positions(jnp.array([1.0, -1.0, 2.0])), positions(jnp.array([-1.0, -1.0]))]
