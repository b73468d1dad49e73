# /// case
# id = "inplace-11-slice-and-mask"
# kind = "inplace-update"
# expect = "fix"
# findings = [17, 19, 20]
# oracle = "want"
# want = "[[[2, 13, 4, -1], [-1, 6, -1, -1], [-1, 10, -1, 2]], 1, [[3, 14, 5, 10], [2, 9, 8, 2], [10, 9, 1, 3]], 3, [[2, 3, 4, -1], [-1, 6, -1, -1], [-1, 10, -1, 2]], 0, [[2, 3, 4, 5], [1, 6, 7, 8], [9, 10, 0, 0]]]"
# ///

import jax
import jax.numpy as jnp


@jax.jit
def censor(table, limit):
    even = table[0] % 2 == 0
    table[1:3, even] = -1
    late = table[:, 0] > limit
    table[late, 1] += 10
    table[::-1, -1] = table[:, 0]
    return table, late.sum()


def main():
    table = jnp.array([[2, 3, 4, 5], [1, 6, 7, 8], [9, 10, 0, 0]])
    return [censor(table, 1), censor(table + 1, -5), censor(table, 100), table]
