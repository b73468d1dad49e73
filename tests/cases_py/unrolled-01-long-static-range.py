# /// case
# id = "unrolled-01-long-static-range"
# kind = "unrolled-loop"
# expect = "fix"
# findings = [17]
# ///
"""Hundreds of steps with a static count: correct, but each one is traced and compiled."""

import jax
import jax.numpy as jnp

STEPS = 300


@jax.jit
def integrate(y, rate):
    for i in range(STEPS):
        y = y + 0.01 * (rate * jnp.cos(0.01 * i) - y)
    return y


def main():
    return [integrate(jnp.float32(0.0), jnp.float32(r)) for r in (1.0, -0.5)]
