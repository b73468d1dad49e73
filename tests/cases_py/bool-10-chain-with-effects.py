# /// case
# id = "bool-10-chain-with-effects"
# kind = "traced-bool-op"
# expect = "report"
# findings = [23, 24, 26, 31]
# ///
"""The middle of a chain counts or prints."""
import jax
import jax.numpy as jnp


def noisy(h):
    jax.debug.print("h {}", h)
    return h * 2.0


def quiet(h):
    return h * 2.0


@jax.jit
def f(h, lo, hi):
    ok = lo < noisy(h) < hi
    if lo < noisy(h) < hi:
        return ok, 1.0
    return (h > lo and noisy(h) > hi), 2.0


@jax.jit
def g(h, lo, hi):
    while lo < noisy(h) < hi:
        h = h * 2.0
    return h


def main():
    return [f(*map(jnp.float32, c)) for c in ((1.0, 0.0, 3.0), (0.0, 1.0, 3.0))]
