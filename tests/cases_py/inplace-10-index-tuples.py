# /// case
# id = "inplace-10-index-tuples"
# kind = "inplace-update"
# expect = "fix"
# findings = [18, 20, 22, 23]
# ///
"""Index tuples of ndindex as a whole, over a literal shape, and over products of ranges."""
import itertools

import jax
import jax.numpy as jnp
import numpy as np


@jax.jit
def f(grid, k):
    for place in np.ndindex(2, 3):
        grid[place] += k
    for i, j in itertools.product(range(2), range(3)):
        grid[i, j] *= 2.0
    for place in np.ndindex(*grid.shape):
        if grid[place] > 9.0:
            grid[place] = 0.0
    return grid


def main():
    return [f(np.arange(6, dtype=np.float32).reshape(2, 3), jnp.float32(k)) for k in (0.0, 1.0)]
