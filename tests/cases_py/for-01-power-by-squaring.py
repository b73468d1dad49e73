# /// case
# id = "for-01-power-by-squaring"
# kind = "traced-for"
# expect = "fix"
# findings = [16]
# ///
"""Bits of a traced exponent, walked with a traced number of rounds."""

import jax
import jax.numpy as jnp


@jax.jit
def power(base, exponent, bits):
    result = jnp.ones_like(base)
    for _ in range(bits):
        result = jnp.where(exponent % 2 == 1, result * base, result)
        base = base * base
        exponent = exponent // 2
    return result


def main():
    cases = ((2.0, 5, 3), (3.0, 0, 4), (1.5, 7, 3), (2.0, 9, 0))
    return [power(jnp.float32(b), jnp.int32(e), jnp.int32(n)) for b, e, n in cases]
