# /// case
# id = "while-17-field-that-becomes-a-float"
# kind = "traced-while"
# expect = "fix"
# findings = [22, 23, 34]
# ///
"""A field of a named tuple is an int at first, and a float after one of the branches."""

from typing import NamedTuple

import jax
import jax.numpy as jnp


class Spent(NamedTuple):
    prices: jax.Array
    total: float


@jax.jit
def until_ten(prices):
    spent = Spent(prices, 0)
    while spent.total < 10:
        if spent.prices[0] > 1:
            spent = spent._replace(total=spent.total + 0.5)
        else:
            spent = spent._replace(total=spent.total + 1, prices=spent.prices + 0.3)
    return spent.total, spent.prices


@jax.jit
def three_rounds(prices):
    spent = Spent(prices, 0)
    for _ in range(3):
        if spent.prices[0] > 1:
            spent = Spent(spent.prices, spent.total + spent.prices.sum())
        else:
            spent = spent._replace(prices=spent.prices + 0.6)
    return spent.total


def main():
    prices = jnp.arange(3.0)
    return until_ten(prices), three_rounds(prices)
