# /// case
# id = "builtin-08-annotated-containers"
# kind = "traced-if"
# expect = "fix"
# findings = [17, 18, 20, 22]
# ///
"""An annotation says that an argument is a list or a dict of arrays, and no array."""

import jax
import jax.numpy as jnp


@jax.jit
def cheapest(
    prices: list[float], limits: dict[str, jax.Array], offer: tuple[jax.Array, int]
):
    low = min(prices)
    high = max(limits.values())
    price, count = offer
    if price > high:
        price = high
    for i in range(count):
        price = price - low * i
    return price, low, high, prices[0] + prices[-1]


def main():
    prices = [3.0, 1.5, 2.0]
    limits = {"day": jnp.asarray(4.0), "week": jnp.asarray(9.0)}
    return [cheapest(prices, limits, (jnp.asarray(p), 3)) for p in (2.0, 30.0)]
