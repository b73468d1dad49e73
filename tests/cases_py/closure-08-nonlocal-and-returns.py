# /// case
# id = "closure-08-nonlocal-and-returns"
# kind = "closure-capture"
# expect = "fix"
# findings = [21, 40]
# ///
"""A branch binds a variable of the function around it, and returns."""

import jax
import jax.numpy as jnp


@jax.jit
def walk(x):
    hits = 0

    def step(v, loud=False):
        nonlocal hits
        if loud:
            return v
        if v > 2:
            hits += 1
            return v / 2
        elif v < 0:
            hits += 10
        v = v + 1
        return v * 1.5

    for _ in range(3):
        x = step(x)
    return step(x, loud=True), hits


@jax.jit
def outer_variable(amount, limit):
    hits = 0.0

    def arrive(a):
        nonlocal hits
        if a > limit:
            hits = 1.0
            return limit
        return a

    return arrive(amount), hits


def main():
    numbers = [jnp.float32(x) for x in (-1.0, 1.0, 4.0)]
    arrived = [outer_variable(a, b) for a in numbers for b in numbers]
    return arrived, [walk(x) for x in (-5.0, 1.0, 9.0)]
