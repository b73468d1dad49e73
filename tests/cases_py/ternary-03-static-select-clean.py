# /// case
# id = "ternary-03-static-select-clean"
# kind = "traced-ternary"
# expect = "clean"
# findings = []
# ///
"""Conditional expressions over None, shapes and Python settings."""

import jax
import jax.numpy as jnp

EPS = 1e-6


@jax.jit
def normalise(x, weights=None, axis=None):
    axis = -1 if axis is None else axis
    w = jnp.ones_like(x) if weights is None else weights
    eps = EPS if x.dtype == jnp.float32 else 1e-3
    total = jnp.sum(w * x) if x.ndim == 1 else jnp.sum(w * x, axis=-1, keepdims=True)
    return x / (total + eps)


def main():
    x = jnp.array([[1.0, 3.0], [2.0, 2.0]])
    return [normalise(x), normalise(x[0]), normalise(x, weights=2.0 * x)]
