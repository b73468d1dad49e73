# /// case
# id = "while-01-gcd-tuple"
# kind = "traced-while"
# expect = "fix"
# findings = [15]
# ///
"""Euclid's algorithm: two integers rebound together, no counter."""

import jax
import jax.numpy as jnp


@jax.jit
def gcd(a, b):
    while b != 0:
        a, b = b, a % b
    return a


def main():
    return [gcd(jnp.int32(a), jnp.int32(b)) for a, b in ((12, 18), (7, 0), (0, 5), (17, 5))]
