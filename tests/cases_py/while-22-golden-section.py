# /// case
# id = "while-22-golden-section"
# kind = "traced-while"
# expect = "fix"
# findings = [17, 23, 24, 26]
# ///
"""Golden section with tuple swaps and an optional cap; gradient is not needed."""

from functools import partial

import jax
import jax.numpy as jnp


@partial(jax.jit, static_argnames=["f", "cap"])
def golden(f, a, b, *args, tol=1e-3, cap=None):
    if a > b:
        a, b = b, a
    r = 0.618034
    c, d = b - r * (b - a), a + r * (b - a)
    fc, fd = f(c, *args), f(d, *args)
    n = 0
    while b - a > tol:
        if cap is not None and n >= cap:
            break
        if fc < fd:
            b, d, fd = d, c, fc
            c = b - r * (b - a)
            fc = f(c, *args)
        else:
            a, c, fc = c, d, fd
            d = a + r * (b - a)
            fd = f(d, *args)
        n += 1
    return (a + b) / 2, n


def parab(x, shift):
    return (x - shift) ** 2


def main():
    return [
        golden(parab, 0.0, 4.0, 1.0),
        golden(parab, 4.0, 0.0, 3.5),
        golden(parab, 1.0, 1.0, 0.0),
        golden(parab, 0.0, 4.0, 1.0, cap=3),
        golden(parab, 0.0, 4.0, 1.0, cap=0),
    ]
