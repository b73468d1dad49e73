# /// case
# id = "method-06-returns-between-changes"
# kind = "early-return"
# expect = "fix"
# findings = [19, 23, 30, 36, 38, 45]
# ///
"""Methods and helpers change an object or dict that they were given, and return at several places, out of a loop too."""
import jax
import jax.numpy as jnp


class Gauge:
    def __init__(self, v):
        self.v = v
        self.n = 0

    def bump(self, k):
        """The new count, or 7."""
        if self.v > k:
            self.v = self.v * 2.0
            return self.n + 1
        self.n -= 1
        if self.v < 0:
            return 7
        self.v += 1.0
        return self.n

    def clip(self, lo):
        # Nothing to do above the limit.
        if self.v >= lo:
            return
        self.v = lo
        self.n += 1

    def fill(self, xs, n):
        for i in range(n):
            self.v += xs[i]
            if self.v > 3.0:
                self.n = i
                return True
        return False


def tally(book, k):
    if book["cash"] > k:
        book["cash"] = 0.0
        return book["debt"]
    book["debt"] += 1.0
    return book["cash"] * 2.0


@jax.jit
def run(x):
    g = Gauge(x)
    a = g.bump(2.0)
    b = g.bump(4.0)
    g.clip(0.5)
    return g.v, g.n, a, b


@jax.jit
def run_fill(x, xs, n):
    g = Gauge(x)
    return g.fill(xs, n), g.v, g.n


@jax.jit
def run_book(x):
    book = {"cash": x, "debt": 1.0}
    return tally(book, 1.0), tally(book, 0.5), book


def main():
    values = [jnp.float32(x) for x in (-3.0, 0.25, 0.75, 1.5, 5.0, 9.0)]
    xs = jnp.array([1.0, 2.0, 3.0])
    fills = [run_fill(jnp.float32(x), xs, jnp.int32(n)) for x in (0.0, 5.0) for n in (0, 2, 3)]
    return [run(x) for x in values], [run_book(x) for x in values], fills
