# /// case
# id = "for-08-lag-and-tuple-of-numbers"
# kind = "traced-for"
# expect = "fix"
# findings = [15, 24, 34]
# ///

import jax
import jax.numpy as jnp


@jax.jit
def growth(rate, n):
    a, b = 0, 1
    for _ in range(n):
        a, b = b, a + b * rate
    return a, b


@jax.jit
def spend(prices, budget):
    state = (0, 3, 0)
    for p in prices:
        if p > budget:
            state = (state[0], state[1] - 1, state[2])
        else:
            state = (state[0] + p, state[1], state[2] + 1)
    return state


@jax.jit
def smoothed(rate, n):
    last, total = 0, 0
    while last < n:
        total, last = total + rate, total
    return last, total


def main():
    prices = jnp.array([0.5, 2.0, 1.25])
    grown = [growth(jnp.float32(0.5), n) for n in (0, 1, 2, 5)]
    spent = [spend(prices, jnp.float32(b)) for b in (0.1, 1.0, 1.5, 9.0)]
    return [*grown, *spent, smoothed(jnp.float32(0.75), 3), smoothed(jnp.float32(1.0), 0)]
