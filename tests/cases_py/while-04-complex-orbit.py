# /// case
# id = "while-04-complex-orbit"
# kind = "traced-while"
# expect = "fix"
# findings = [17]
# ///
"""A complex carry, a counter, and a compound condition that calls a method."""

import jax
import jax.numpy as jnp


@jax.jit
def escape(c, most=20):
    z = jnp.zeros_like(c)
    n = 0
    while n < most and (z * z.conj()).real <= 4.0:
        z = z * z + c
        n += 1
    return n


def main():
    return [escape(jnp.complex64(v)) for v in (0.0 + 0.0j, 1.0 + 0.0j, -2.5 + 0.5j, 0.3 + 0.5j)]
