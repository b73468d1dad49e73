# /// case
# id = "slice-10-ndindex-fill"
# kind = "inplace-update"
# expect = "fix"
# findings = [16, 17, 18]
# ///
"""The cells of an array are filled in place by a walk over numpy's ndindex of its shape."""
import jax
import jax.numpy as jnp
import numpy as np


@jax.jit
def tilt(grid, slope):
    for i, j in np.ndindex(grid.shape):
        grid[i, j] += slope * i
        if grid[i, j] > 4.0:
            grid[i, j] = 4.0
    return grid


def main():
    return [tilt(np.arange(6, dtype=np.float32).reshape(2, 3), jnp.float32(s)) for s in (0.0, 1.0, -5.0)]
