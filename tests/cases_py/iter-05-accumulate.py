# /// case
# id = "iter-05-accumulate"
# kind = "traced-ternary"
# expect = "fix"
# findings = [18, 21]
# ///
"""itertools.accumulate with a lambda that compares, operator.add in reduce, and itemgetter as a key."""
import functools
import itertools
import operator

import jax
import jax.numpy as jnp


@jax.jit
def f(a, b, c):
    peaks = list(itertools.accumulate([a, b, c], lambda p, q: p if p > q else q))
    total = functools.reduce(operator.add, [a, b, c])
    sums = list(itertools.accumulate((a, b, c)))
    if operator.itemgetter(0)(sums) != total:
        total = total + 1.0
    return peaks, total, sums


def main():
    return [f(*map(jnp.float32, c)) for c in ((1.0, 2.0, 1.5), (3.0, 0.0, 0.0), (2.0, 2.0, 2.0))]
