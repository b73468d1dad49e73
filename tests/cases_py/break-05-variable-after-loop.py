# /// case
# id = "break-05-variable-after-loop"
# kind = "break-continue"
# expect = "fix"
# findings = [20, 23, 31, 41]
# ///
"""The variables of an unrolled loop are read after it was left."""

import jax
import jax.numpy as jnp


@jax.jit
def stop_loss(prices, weights, limit):
    value = 1.0
    peak = value
    day = 0
    for day, (p, w) in enumerate(zip(prices, weights), start=1):  # walk
        value = value * (1.0 + w * p)
        if value > peak:
            peak = value
            continue
        if (peak - value) / peak > limit:
            break
    return value, peak, day


@jax.jit
def first_large(a, b, c, level):
    for k, v in enumerate((a, b, c)):
        if v > level:
            break
    return k, v


@jax.jit
def short(x):
    total = 0.0
    for i in range(4):
        total += x * i
        if total > 5:
            break
    return total, i


def main():
    prices = jnp.array([0.1, -0.05, 0.02, -0.3, 0.4])
    weights = jnp.array([1.0, 1.0, 0.5, 0.5, 2.0])
    return (
        [stop_loss(prices, weights, lim) for lim in (0.01, 0.1, 0.9)],
        [first_large(1.0, 2.0, 3.0, s) for s in (0.5, 1.5, 2.5, 9.0)],
        [short(v) for v in (0.5, 1.0, 3.0, 10.0)],
    )
