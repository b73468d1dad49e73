# /// case
# id = "if-13-augmented-to-float"
# kind = "traced-if"
# expect = "fix"
# findings = [15, 18]
# ///
"""An augmented assignment makes a float of an integer, in one branch of three."""

import jax
import jax.numpy as jnp


@jax.jit
def settle(a, b):
    if a == 1:
        b = jnp.linalg.norm(b)
        due = 3
    elif a in (0, 2):
        due = 0
    else:
        due = 1
        due += (a * 0.5) % 5
        a -= abs(b - a)
    return a, b, due


def main():
    pairs = [(a, b) for a in (0, 1, 2, 5) for b in (0.5, 2.0)]
    return [settle(jnp.int32(a), jnp.float32(b)) for a, b in pairs]
