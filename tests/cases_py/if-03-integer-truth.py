# /// case
# id = "if-03-integer-truth"
# kind = "traced-if"
# expect = "fix"
# findings = [16, 18]
# ///
"""The test is an integer array scalar: zero is false, all else is true."""

import jax
import jax.numpy as jnp


@jax.jit
def drain(level, leak):
    remaining = level % 4
    if remaining:
        level = level - remaining
    if not leak:
        return level, jnp.int32(0)
    return level - 1, leak


def main():
    return [drain(jnp.int32(a), jnp.int32(b)) for a, b in ((7, 0), (8, 2), (-3, 1), (0, 0))]
