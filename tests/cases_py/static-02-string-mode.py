# /// case
# id = "static-02-string-mode"
# kind = "static-arg"
# expect = "fix"
# findings = [15]
# ///
"""A string argument is not an array at all: jit refuses it before tracing starts."""

import jax
import jax.numpy as jnp


@jax.jit
def reduce_by(x, how):
    return getattr(jnp, how)(x)


def main():
    x = jnp.array([1.0, 5.0, -2.0])
    return [reduce_by(x, "sum"), reduce_by(x, "max"), reduce_by(x, how="mean")]
