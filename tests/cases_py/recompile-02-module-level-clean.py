# /// case
# id = "recompile-02-module-level-clean"
# kind = "recompile"
# expect = "clean"
# findings = []
# ///
"""Compiled once, at module level or in a constructor, and called in loops."""

import jax
import jax.numpy as jnp


class Model:
    def __init__(self, width):
        self.weights = jnp.ones(width)
        self.apply = jax.jit(lambda w, x: w * x)

    def __call__(self, x):
        return self.apply(self.weights, x)


square = jax.jit(jnp.square)


def main():
    model = Model(3)
    out = []
    for i in range(3):
        out.append(square(model(jnp.full(3, float(i)))))
    return out
