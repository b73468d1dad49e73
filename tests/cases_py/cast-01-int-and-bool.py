# /// case
# id = "cast-01-int-and-bool"
# kind = "concretize-cast"
# expect = "fix"
# findings = [15, 16, 17]
# ///
"""Casts to Python numbers, used in arithmetic only."""

import jax
import jax.numpy as jnp


@jax.jit
def bucket(x, width):
    index = int(x / width)
    exact = float(index) * width
    hit = bool(exact == x)
    return index, exact, hit


def main():
    return [bucket(jnp.float32(v), jnp.float32(0.5)) for v in (1.75, 2.0, -0.75, 0.0)]
