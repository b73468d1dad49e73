# /// case
# id = "slice-12-stamp-around-a-cell"
# kind = "inplace-update"
# expect = "fix"
# findings = [20, 21, 22]
# oracle = "want"
# want = "[[[0, 1, 0, 0], [1, 1, 2, 0], [0, 3, 4, 0], [0, 0, 0, 0]], 1, [[0, 1, 0, 0], [1, 1, 2, 0], [0, 3, 4, 0], [0, 0, 0, 0]], 0, [[0, 1, 0, 0], [1, 1, 3, 0], [0, 4, 0, 1], [0, 0, 1, 0]], 1]"
# ///

import jax
import jax.numpy as jnp


@jax.jit
def relax(heights, threshold):
    """One toppling step of a sandpile, at the highest inner cell."""
    flat = jnp.argmax(heights[1:-1, 1:-1])
    i, j = flat // (heights.shape[1] - 2) + 1, flat % (heights.shape[1] - 2) + 1
    spill = jnp.where(heights[i, j] >= threshold, 1, 0)
    heights[i - 1 : i + 2, j] += spill
    heights[i, j - 1 : j + 2] += spill
    heights[i, j] -= 6 * spill
    return heights, spill


def main():
    heights = jnp.array([[0, 0, 0, 0], [0, 5, 1, 0], [0, 2, 4, 0], [0, 0, 0, 0]])
    out = []
    for threshold in (4, 5, 4):
        heights, spill = relax(heights, threshold)
        out.append((heights, spill))
    return out
