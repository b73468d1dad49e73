# /// case
# id = "static-03-partial-clean"
# kind = "static-arg"
# expect = "clean"
# findings = []
# ///
"""Bound with `partial` before jit, so the count is a Python number while tracing."""

from functools import partial

import jax
import jax.numpy as jnp


def repeat(count, x):
    pieces = jnp.tile(x, count)
    if count > 2:
        pieces = pieces[:-1]
    return pieces.reshape(1, -1)


twice = jax.jit(partial(repeat, 2))
thrice = jax.jit(lambda x: repeat(3, x))


def main():
    x = jnp.array([1.0, 2.0])
    return [twice(x), thrice(x)]
