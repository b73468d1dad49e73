# /// case
# id = "return-04-lambda-and-static-clean"
# kind = "early-return"
# expect = "clean"
# findings = []
# ///
"""Early returns on structure and on settings, in a compiled function and in its helper."""

import jax
import jax.numpy as jnp


def merge(a, b):
    if a is None:
        return b
    if b is None:
        return a
    return a + b


@jax.jit
def residual(x, skip=None):
    if x.size == 0:
        return jnp.float32(0.0)
    y = merge(jnp.tanh(x), skip)
    if isinstance(skip, tuple):
        return y[0]
    return jnp.sum(y)


def main():
    x = jnp.array([1.0, -0.5])
    return [residual(x), residual(x, x), residual(x[:0])]
