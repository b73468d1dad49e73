# /// case
# id = "closure-02-factory-clean"
# kind = "closure-capture"
# expect = "clean"
# findings = []
# ///
"""Each call of the factory makes a compiled function of its own; nothing is rebound after."""

import jax
import jax.numpy as jnp


def make_filter(width):
    weights = jnp.ones(width) / width
    total = jnp.sum(weights)

    @jax.jit
    def smooth(x):
        return jnp.convolve(x, weights, mode="same") / total

    return smooth


def main():
    x = jnp.arange(6.0)
    return [make_filter(2)(x), make_filter(3)(x)]
