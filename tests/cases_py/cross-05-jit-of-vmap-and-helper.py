# /// case
# id = "cross-05-jit-of-vmap-and-helper"
# kind = "traced-if"
# expect = "fix"
# findings = [17, 28, 30]
# ///

import jax
import jax.numpy as jnp


def pow_mod(base, exponent, modulus):
    """Square and multiply over eight bits, most significant first."""
    result = 1
    for bit in range(7, -1, -1):
        result = result * result % modulus
        if exponent >> bit & 1:
            result = result * base % modulus
    return result


table = jax.jit(jax.vmap(pow_mod, in_axes=(0, None, None)))


@jax.jit
def is_witness(a, n):
    """Fermat test: 0 when a says nothing about n."""
    if a % n == 0:
        return 0
    return 1 if pow_mod(a, n - 1, n) != 1 else 0


def main():
    return [is_witness(jnp.int32(a), jnp.int32(n)) for a, n in ((2, 15), (3, 7), (14, 7), (5, 91))] + [pow_mod(7, 10, 13)]
