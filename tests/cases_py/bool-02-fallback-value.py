# /// case
# id = "bool-02-fallback-value"
# kind = "traced-bool-op"
# expect = "fix"
# findings = [15, 16]
# ///
"""`or` and `and` as values: the result is an operand, not a truth value."""

import jax
import jax.numpy as jnp


@jax.jit
def step_size(requested, default):
    chosen = requested or default
    damped = chosen and chosen * 0.5
    return chosen, damped


def main():
    pairs = ((0.25, 1.0), (0.0, 2.0), (-3.0, 1.0), (0.0, 0.0))
    return [step_size(jnp.float32(a), jnp.float32(b)) for a, b in pairs]
