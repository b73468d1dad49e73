# /// case
# id = "shape-17-masks-that-change"
# kind = "dynamic-shape"
# expect = "report"
# findings = [15, 23, 30]
# ///
"""Names whose mask or value changes in between, or that a closure reads: reported."""

import jax
import jax.numpy as jnp


@jax.jit
def moving(x, m):
    gap = x[m] - 1.0
    first = gap.sum()
    m = ~m
    return first + gap.max()


@jax.jit
def rebound(x, m):
    gap = x[m] - 1.0
    gap = gap * 2.0
    return gap.sum()


@jax.jit
def by_closure(x, m):
    gap = x[m] + 1.0

    def scaled(s):
        return (gap * s).sum()

    return scaled(2.0)


def main():
    x, m = jnp.array([1.0, -2.0, 3.0]), jnp.array([True, False, True])
    return [moving(x, m), rebound(x, m), by_closure(x, m)]
