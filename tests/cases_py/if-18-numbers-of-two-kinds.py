# /// case
# id = "if-18-numbers-of-two-kinds"
# kind = "traced-if"
# expect = "fix"
# findings = [18, 33, 36]
# ///

import jax
import jax.numpy as jnp


@jax.jit
def points(values, level):
    """Whole points are won, halves are lost: a float from the second round on."""
    score = 0
    for i in range(4):
        v = values[i]
        if v > level:
            score += int(v)
        else:
            score -= 0.5
    return score


@jax.jit
def flags(values, level):
    """A flag that begins as a number, a number that begins as a flag."""
    seen = 0
    count = True
    total = 0
    for v in values:
        seen_before = seen
        if v > level:
            seen = True
            count = count + 1
        if seen_before == 1:
            total = jnp.sort(values)[0] + total
        total -= 1
    return seen, count, total


def main():
    v = jnp.array([1.0, 2.0, -1.0, 0.0])
    return [(points(v, k), flags(v, k)) for k in (jnp.int32(n) for n in (-2, 0, 1, 5))]
