# /// case
# id = "return-01-clamped-chain"
# kind = "early-return"
# expect = "fix"
# findings = [15, 18, 21]
# ///
"""A cascade of guards, each of which returns a tuple; the last needs values computed between."""

import jax
import jax.numpy as jnp


@jax.jit
def solve_quadratic(a, b, c):
    if a == 0.0:
        return -c / b, 1
    disc = b * b - 4.0 * a * c
    if disc < 0.0:
        return jnp.nan, 0
    root = jnp.sqrt(disc)
    if disc == 0.0:
        return -b / (2.0 * a), 1
    return (-b + root) / (2.0 * a), 2


def main():
    cases = ((1.0, -3.0, 2.0), (0.0, 2.0, -4.0), (1.0, 2.0, 1.0), (1.0, 0.0, 1.0))
    return [solve_quadratic(*map(jnp.float32, abc)) for abc in cases]
