# /// case
# id = "inplace-01-two-dimensional"
# kind = "inplace-update"
# expect = "fix"
# findings = [16, 17, 18]
# ///
"""Stores to rows, columns and elements, plain and augmented, some with a traced index."""

import jax
import jax.numpy as jnp
import numpy as np


@jax.jit
def relax(grid, row, value):
    grid[0, :] = value
    grid[:, -1] += 1.0
    grid[row, 1] *= 2.0
    return grid.sum(axis=0)


def main():
    grids = [np.arange(9, dtype=np.float32).reshape(3, 3) for _ in range(3)]
    return [relax(g, i, 0.5 * i) for i, g in enumerate(grids)]
