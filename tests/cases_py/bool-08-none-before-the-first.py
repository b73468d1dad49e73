# /// case
# id = "bool-08-none-before-the-first"
# kind = "traced-bool-op"
# expect = "fix"
# findings = [15, 24, 31, 38, 40]
# ///
"""The best of a static number of values starts as None; optional arguments guard a traced test, and the rest after a return."""
import jax
import jax.numpy as jnp


def best_of(items):
    best = None
    for value in items.values():
        if best is None or value > best:
            best = value
    return best


@jax.jit
def peak(xs, extra):
    best = where = None
    for i in range(xs.shape[0]):
        if best is None or xs[i] > best:
            best, where = xs[i], i
    return best, where, best_of({"a": extra, "b": best})


@jax.jit
def above(x, bias=None):
    if bias is None or x > bias:
        return x
    return x - bias


@jax.jit
def clip(x, low=None, high=None):
    if low is None and high is None or x == 0:
        return x
    if low is not None and x < low:
        x = low
    elif high is not None and x > high:
        x = high
    return x


def main():
    rows = ([1.0, 3.0, 2.0], [5.0], [-1.0, -1.0])
    peaks = [peak(jnp.array(r), jnp.float32(e)) for r in rows for e in (0.0, 9.0)]
    values = [jnp.float32(v) for v in (-2.0, 0.0, 3.0)]
    limits = (None, jnp.float32(-1.0), jnp.float32(2.0))
    return peaks, [above(v, b) for v in values for b in limits], [clip(v, a, b) for v in values for a in limits for b in limits]
