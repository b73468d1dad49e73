# /// case
# id = "slice-14-bounds-from-the-end"
# kind = "dynamic-shape"
# expect = "fix"
# findings = [16, 17, 18]
# oracle = "eager"
# ///

import jax
import jax.numpy as jnp


@jax.jit
def window_stats(prices, lo, hi):
    """Sum, peak-to-start and length of `prices[lo:hi]`; `hi` may be negative."""
    total = prices[lo:hi].sum()
    tail = jnp.sum(prices[hi:] ** 2)
    head = jnp.sum(prices[:lo])
    return total, tail, head


def main():
    prices = jnp.array([1.0, 3.0, -2.0, 8.0, 5.0, 0.5])
    ends = [(0, 6), (2, 4), (4, 2), (1, -1), (-3, -1), (0, 0), (3, 99), (-99, 2)]
    return [window_stats(prices, lo, hi) for lo, hi in ends]
