# /// case
# id = "iter-04-itertools"
# kind = "traced-if"
# expect = "fix"
# findings = [19, 21, 24, 28, 36, 39, 42]
# ///
"""Static loops over iterators of itertools, whose elements are traced: chain, pairwise, combinations, product, count."""
import itertools
from itertools import chain

import jax
import jax.numpy as jnp


@jax.jit
def score(x, n):
    t = 0.0
    for v in itertools.chain((x,), [n]):
        t = t + v if v > 0 else t
    for a, b in itertools.pairwise((x, n, x * 2.0)):
        if a < b:
            t += 1.0
    for a, b in itertools.combinations([x, n, 1.0], 2):
        if a > b:
            break
        t += a
    for v, k in itertools.product((x, -x), (1, 2)):
        t = t + k if v > k else t - 1.0
    return t


@jax.jit
def rows(xs, ys):
    s = 0.0
    for v in chain(xs, ys):
        if v > 1.0:
            s += v
    for i, v in zip(itertools.count(1), xs):
        if v < i:
            s += i
    for a, b in itertools.zip_longest(xs[:2], ys, fillvalue=0.0):
        s = s + a if a < b else s
    return s


def main():
    pairs = [(a, b) for a in (-2.0, 0.5, 3.0) for b in (-1.0, 1.0, 4.0)]
    xs, ys = jnp.array([0.5, 3.0, -1.0]), jnp.array([2.0, -4.0])
    return [score(jnp.float32(a), jnp.float32(b)) for a, b in pairs], rows(xs, ys)
