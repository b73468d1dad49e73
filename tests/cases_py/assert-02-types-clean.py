# /// case
# id = "assert-02-types-clean"
# kind = "traced-assert"
# expect = "clean"
# findings = []
# ///
"""Assertions on ranks, types and settings run once, while tracing."""

import jax
import jax.numpy as jnp

MODE = "strict"


@jax.jit
def gram(x, y=None):
    assert x.ndim == 2 and x.shape[1] > 0, x.shape
    assert y is None or y.dtype == x.dtype
    assert MODE in ("strict", "loose")
    assert isinstance(x, jax.Array)
    other = x if y is None else y
    return x @ other.T


def main():
    x = jnp.arange(6.0).reshape(2, 3)
    return [gram(x), gram(x, x + 1.0)]
