# /// case
# id = "mutable-01-list-of-rates"
# kind = "mutable-capture"
# expect = "fix"
# findings = [17]
# ///
"""A module list is appended to between two calls."""

import jax
import jax.numpy as jnp

rates = [1.0, 2.0]


@jax.jit
def apply_all(x):
    for rate in rates:
        x = x * rate
    return x


def main():
    rates[:] = [1.0, 2.0]
    x = jnp.float32(3.0)
    first = apply_all(x)
    rates.append(4.0)
    second = apply_all(x)
    return [first, second]
