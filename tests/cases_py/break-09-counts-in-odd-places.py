# /// case
# id = "break-09-counts-in-odd-places"
# kind = "break-continue"
# expect = "fix"
# findings = [17, 19, 33, 35, 45, 54, 63, 72, 73, 74]
# ///
"""Counting without end in odd places."""
import itertools

import jax
import jax.numpy as jnp


@jax.jit
def a(x, n):
    total = 0
    for i in range(n):
        for k in itertools.count(i):
            if k * k > x:
                break
            total += k
        else:
            total = -1
        total += i
    return total


@jax.jit
def b(x):
    k = 7
    for k in itertools.count():
        x = x * 0.5
        if x < 1.0:
            return k
        if x > 100.0:
            continue
        x = x - 0.25


@jax.jit
def c(x):
    out = 0.0
    with jax.named_scope("s"):
        for k, w in zip(itertools.count(1), (0.5, 0.25, 0.125)):
            if x < w:
                break
            out += k * w
    return out, k


@jax.jit
def d(x):
    for k in itertools.count(10, -2):
        if k < x:
            break
    return k


@jax.jit
def e(x, limit):
    hist = jnp.zeros(4)
    for i in itertools.count():
        if i >= 4 or hist.sum() > limit:
            break
        hist = hist.at[i].set(x * i)
    return hist, i


@jax.jit
def g(x, n):
    s = 0
    for i in range(n)[1:]:
        for j in range(i)[::-1]:
            if j * x > 3.0:
                break
            s = s * 2 + j
    return s


def main():
    xs = [jnp.float32(v) for v in (0.1, 5.0, 30.0)]
    out = [(b(x), c(x), d(x / 10), e(x, jnp.float32(4.0))) for x in xs]
    return out, [(a(x, jnp.int32(n)), g(x, jnp.int32(n))) for x in xs for n in (0, 1, 4)]
