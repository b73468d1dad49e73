# /// case
# id = "bool-01-chained-and-in"
# kind = "traced-bool-op"
# expect = "fix"
# findings = [16]
# ///
"""Chained comparisons and `not`, as values and in tests, over vectors reduced first."""

import jax
import jax.numpy as jnp


@jax.jit
def inside(point, low, high):
    x, y = point
    within = low <= x < high and low <= y < high
    outside = not within
    return within, outside


def main():
    points = ((0.5, 0.5), (-1.0, 0.5), (0.0, 1.0), (0.0, 0.0))
    return [inside(jnp.array(p), 0.0, 1.0) for p in points]
