# /// case
# id = "state-04-seen-in-another-way"
# kind = "traced-if"
# expect = "report"
# findings = [30, 40, 50, 60, 71]
# ///
"""An object changes in a branch, and the branch looks at it in another way."""

import jax
import jax.numpy as jnp


class Tracker:
    def __init__(self, best):
        self.best = best
        self.hits = 0

    def score(self):
        return self.best * 2 + self.hits

    @property
    def double(self):
        return self.best * 2


@jax.jit
def a(x):
    books = {"cash": 1.0, "debt": 2.0}
    total = 0.0
    if x > 0:
        books["cash"] += x
        total = sum(books.values())
    return books, total


@jax.jit
def b(x):
    t = Tracker(x)
    s = 0.0
    if x > 0:
        t.best = 10.0
        s = t.score()
    return t.best, s


@jax.jit
def c(x):
    t = Tracker(x)
    s = 0.0
    if x > 0:
        t.best = 10.0
        s = t.double
    return t.best, s


@jax.jit
def d(x):
    xs = [x, 2.0]
    s = 0
    if x > 0:
        xs[0] = 10.0
        s = len(xs) + xs.index(2.0)
    return xs, s


@jax.jit
def e(x):
    xs = [x, 2.0]
    ys = (xs, 1.0)
    s = 0.0
    if x > 0:
        xs[0] = 10.0
        s = ys[0][0]
    return xs, s


def main():
    return [f(jnp.float32(v)) for f in (a, b, c, d, e) for v in (3.0, -1.0)]
