# /// case
# id = "return-07-arrays-out-of-loops"
# kind = "early-return"
# expect = "fix"
# findings = [20, 33, 44, 47, 53, 54, 64, 66, 69]
# tolerance = 1e-4
# ///
"""Loops that return arrays: one expression for all exits, or one that the loop carries."""

import jax
import jax.numpy as jnp


@jax.jit
def g(m, tol):
    q, r = m, jnp.eye(2)
    k = 0
    while True:
        off = abs(q[0, 1])
        if off < tol or k >= 8:
            return q, r, k  # settled
        t = 0.5 * jnp.arctan2(2 * q[0, 1], q[0, 0] - q[1, 1])
        rot = jnp.array([[jnp.cos(t), -jnp.sin(t)], [jnp.sin(t), jnp.cos(t)]])
        q = rot.T @ q @ rot
        r = r @ rot
        k += 1


@jax.jit
def settle(x, target):
    for _ in range(20):
        new = 0.5 * (x + target)
        if jnp.abs(new - x).max() < 1e-2:
            return x
        x = new
    return x


@jax.jit
def two(x):
    n = 0
    while True:
        n += 1
        if x > 10:
            return x, n
        x = x * 3
        if n == 2:
            return x, n


@jax.jit
def until(x, n):
    for i in range(n):
        if x[i] < 0:
            return x
        x = x.at[i].add(1.0)
    x = x * 2
    return x


@jax.jit
def three(x):
    y = jnp.zeros(2)
    while x < 100:
        x = x * 2
        if x > 30:
            y = y + x
            return y
        if x > 20:
            return y
    return y


def main():
    out = [
        g(jnp.array(m), 1e-3)
        for m in ([[2.0, 1.0], [1.0, 3.0]], [[1.0, 0.0], [0.0, 2.0]])
    ]
    out += [settle(jnp.array([0.0, 4.0]), t) for t in (0.0, 2.0)]
    out += [two(x) for x in (1.0, 5.0, 11.0)] + [
        until(jnp.array([1.0, -1.0, 2.0]), n) for n in (0, 1, 3)
    ]
    out += [three(x) for x in (1.0, 11.0, 16.0, 200.0)]
    return out
