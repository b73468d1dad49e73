# /// case
# id = "recursion-03-over-the-same-list"
# kind = "traced-if"
# expect = "report"
# findings = [17, 19]
# ///
"""A recursion that goes over the same list again is ended by traced conditions alone."""

import jax
import jax.numpy as jnp


@jax.jit
def ways(coins, target):
    def count(left):
        # Nothing but the conditions ends it.
        if left < 0:
            return 0
        if left == 0:
            return 1
        return sum(count(left - coin) for coin in coins)

    return count(target)


def main():
    with jax.disable_jit():
        return ways([jnp.asarray(1), jnp.asarray(2)], jnp.asarray(4))
