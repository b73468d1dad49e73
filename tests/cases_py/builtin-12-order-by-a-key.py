# /// case
# id = "builtin-12-order-by-a-key"
# kind = "traced-bool-op"
# expect = "fix"
# findings = [16, 18, 20, 25]
# ///
"""Numbers of a range in the order of a traced key are places in an array: `jnp.argsort`."""
import jax
import jax.numpy as jnp

PRICES = [10.0, 20.0, 30.0]


@jax.jit
def winner(votes):
    order = sorted(range(3), key=lambda i: -votes[i])
    best, second, *rest = order
    if votes[best] == votes[second]:
        return -1.0
    return PRICES[best]


@jax.jit
def settle(weights, x):
    for i in sorted(range(len(weights)), key=lambda k: weights[k], reverse=True):
        x = 0.5 * x + weights[i] * i
    return x


def main():
    ballots = ([1, 5, 3], [5, 5, 1], [0, 1, 9], [2, 2, 2])
    return [(winner(jnp.array(v)), settle(jnp.array(v, float), 1.0)) for v in ballots]
