# /// case
# id = "for-10-spellings-of-counting"
# kind = "traced-for"
# expect = "fix"
# findings = [15, 18, 21, 24]
# ///
"""The range is cast, sliced, spread from a pair or an arange: the same counting in other words."""
import jax
import jax.numpy as jnp


@jax.jit
def tally(n, bounds):
    a = 0
    for i in range(int(n)):
        a = a * 2 + i
    b = 0
    for i in range(n)[::-1]:
        b = b * 2 + i
    c = 0
    for i in range(*bounds):
        c = c * 2 + i
    d = 0
    for i in range(n + 1)[1:]:
        d = d * 2 + i
    return a, b, c, d


def main():
    return [tally(jnp.int32(n), (jnp.int32(lo), jnp.int32(hi))) for n, lo, hi in ((0, 1, 4), (3, 2, 2), (5, 4, 1))]
