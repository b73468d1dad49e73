# /// case
# id = "return-12-else-of-an-inner-loop"
# kind = "early-return"
# expect = "fix"
# findings = [16, 27, 29, 39, 44]
# ///

import jax
import jax.numpy as jnp


@jax.jit
def quiet_row(m, limit):
    for i in range(3):
        for j in range(3):
            if m[i, j] > limit:
                break
        else:
            return i, j
    return -1, 0


@jax.jit
def second_when_low(m, limit):
    k = 0
    while k < 3:
        k += 1
        if m[k, 0] > limit:
            continue
        if k == 2:
            return k
    return -1


@jax.jit
def until_a_clean_row(m, limit):
    total = 0.0
    for row in m:
        if row[0] > limit:
            continue
        if total is None:
            break
        for v in row:
            if v < 0.0:
                break
            total += v
        else:
            break
        total += 100.0
    else:
        total = -total
    return total


def main():
    rows = [
        [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [0.0, 1.0, 0.0], [2.0, 2.0, 1.0]],
        [[5.0, -1.0, 1.0], [0.0, -1.0, 1.0], [1.0, 1.0, 1.0], [1.0, -2.0, 0.0]],
        [[0.0, 1.0, 2.0], [3.0, 0.0, 0.0], [9.0, 9.0, 9.0], [-1.0, -1.0, 2.0]],
    ]
    return [
        f(jnp.array(m), limit)
        for f in (quiet_row, second_when_low, until_a_clean_row)
        for m in rows
        for limit in (0.5, 2.0, 9.0)
    ]
