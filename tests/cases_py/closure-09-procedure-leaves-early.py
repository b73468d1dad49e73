# /// case
# id = "closure-09-procedure-leaves-early"
# kind = "early-return"
# expect = "fix"
# findings = [20, 37, 40, 57]
# ///
"""A procedure that leaves early rebinds variables of the function around it."""

import jax
import jax.numpy as jnp


@jax.jit
def tallied(xs):
    total = 0.0
    negative = False

    def feed(x):
        nonlocal total, negative
        if x < 0:
            negative = True
            return
        total += x

    for x in xs:
        feed(x)
    return total, negative


@jax.jit
def capped(xs):
    total = 0.0
    hits = 0

    def feed(x):
        nonlocal total, hits
        if x < 0:
            return None
        hits += 1
        if x > 5:
            total += 5
            return None
        total += x
        return None

    for x in xs:
        feed(x)
    return total, hits


@jax.jit
def logged(xs):
    last = jnp.zeros(2)

    def feed(x):
        nonlocal last
        if x < 0:
            return
        y = jnp.log(x)
        last = last.at[0].set(y)

    for x in xs:
        feed(x)
    return last


def main():
    xs = jnp.array([1.0, -4.0, 2.0, 7.0])
    ys = jnp.abs(xs)
    return [tallied(xs), tallied(ys), capped(xs), capped(ys), logged(xs), logged(ys)]
