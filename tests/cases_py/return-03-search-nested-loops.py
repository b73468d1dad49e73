# /// case
# id = "return-03-search-nested-loops"
# kind = "early-return"
# expect = "fix"
# findings = [17]
# ///
"""A `return` from the inner of two static loops."""

import jax
import jax.numpy as jnp


@jax.jit
def first_match(grid, value):
    for row in range(2):
        for column in range(3):
            if grid[row, column] == value:
                return row, column
    return -1, -1


def main():
    grid = jnp.array([[1, 2, 3], [4, 2, 6]])
    return [first_match(grid, jnp.int32(v)) for v in (1, 2, 6, 7)]
