# /// case
# id = "break-01-cumulative-budget"
# kind = "break-continue"
# expect = "fix"
# findings = [18]
# ///
"""`break` after a part of the body has already changed the state, in a loop over an array."""

import jax
import jax.numpy as jnp


@jax.jit
def spend(prices, budget):
    bought = 0
    for price in prices:
        budget = budget - price
        if budget < 0.0:
            break
        bought += 1
    return bought, budget


def main():
    prices = jnp.array([1.0, 2.0, 0.5, 4.0])
    return [spend(prices, jnp.float32(b)) for b in (10.0, 3.25, 0.5, 0.0)]
