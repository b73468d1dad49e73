# /// case
# id = "while-12-true-with-return"
# kind = "traced-while"
# expect = "fix"
# findings = [18, 28, 41]
# ///
"""Endless loops that a `return` leaves, alone and inside another loop."""

import jax
import jax.numpy as jnp


@jax.jit
def relax(x, tol):
    n = 0
    while True:
        new = 0.5 * jnp.cos(x) + 0.5 * x
        if jnp.abs(new - x) < tol:
            return new, n
        x = new
        n += 1


@jax.jit
def two(x):
    while True:
        x = x - 1.0
        if x < 0:
            return x
        if x > 100.0:
            return -x


@jax.jit
def three(xs):
    total = 0.0
    for i in range(3):
        y = xs[i]
        while True:
            y = y * 0.5
            if y < 0.1:
                return total
            if y < 0.5:
                break
        total = total + y
    return total


def main():
    return [
        relax(jnp.float32(1.0), 1e-3),
        two(jnp.float32(3.5)),
        two(jnp.float32(300.0)),
        three(jnp.array([1.0, 2.0, 3.0])),
        three(jnp.array([1.0, 2.0, 0.05])),
    ]
