# /// case
# id = "cast-04-dict-of-strings"
# kind = "concretize-cast"
# expect = "report"
# findings = [17]
# ///
"""A dict of strings is asked by a traced key, which no compiled program can do."""

import jax
import jax.numpy as jnp

PRICES = {0: "free", 1: "low", 2: "high"}


@jax.jit
def charge(amount, tier):
    if PRICES[int(tier)] == "free":
        return amount * 0.0
    return amount


def main():
    return [charge(jnp.float32(2.0), jnp.int32(t)) for t in (0, 1, 2)]
