# /// case
# id = "cross-04-starred-arguments"
# kind = "early-return"
# expect = "fix"
# findings = [13, 14, 20, 22]
# ///

import jax
import jax.numpy as jnp


def middle(a, b, c):
    if a < b:
        if b < c:
            return b, 1
        elif a < c:
            return c, 2
        return a, 0
    else:
        if a < c:
            return a, 0
        if b < c:
            return c, 2
    return b, 1


@jax.jit
def pivots(rows):
    return [middle(*row) for row in rows]


def main():
    rows = jnp.array([[1.0, 2.0, 3.0], [3.0, 1.0, 2.0], [2.0, 3.0, 1.0], [1.0, 3.0, 2.0], [3.0, 2.0, 1.0], [2.0, 2.0, 2.0]])
    return pivots(rows)
