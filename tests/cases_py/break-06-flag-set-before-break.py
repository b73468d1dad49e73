# /// case
# id = "break-06-flag-set-before-break"
# kind = "break-continue"
# expect = "fix"
# findings = [19, 23]
# ///

import jax
import jax.numpy as jnp


@jax.jit
def first_bad_row(mat, limit):
    """Row and column of the first entry over the limit, row by row; (-1, -1) if there is none."""
    row, col = -1, -1
    for i in range(mat.shape[0]):
        found = False
        for j in range(mat.shape[1]):
            if jnp.abs(mat[i, j]) > limit:
                row, col = i, j
                found = True
                break
        if found:
            break
    return row, col


def main():
    mat = jnp.array([[0.1, -0.5, 0.2], [2.0, 0.3, -7.0]])
    return [first_bad_row(mat, jnp.float32(v)) for v in (0.05, 0.4, 1.0, 5.0, 10.0)]
