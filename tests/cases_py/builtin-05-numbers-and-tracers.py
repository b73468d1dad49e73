# /// case
# id = "builtin-05-numbers-and-tracers"
# kind = "nested"
# expect = "fix"
# findings = [19, 30]
# ///
"""Dynamic programming over a list that begins with numbers and goes on with tracers."""

import jax
import jax.numpy as jnp


@jax.jit
def longest_rising(xs):
    best = []
    for i, x in enumerate(xs):
        length = 1
        for j in range(i):
            if xs[j] < x and best[j] + 1 > length:
                length = best[j] + 1
        best.append(length)
    return max(best)


@jax.jit
def sums(steps, last=6):
    reached = [0]
    for k in range(1, last + 1):
        reached.append(reached[k - 1] + steps[k % 2])
    return min(reached), sorted(reached)


def main():
    rows = ([3, 1, 2], [1, 5, 9], [3, 2, 1])
    out = [longest_rising(jnp.array(row)) for row in rows]
    return [*out, sums(jnp.array([1, 3]))]
