# /// case
# id = "bool-05-starred-container"
# kind = "traced-bool-op"
# expect = "fix"
# findings = [18, 20, 22]
# ///
"""A container with a star in it, of numbers that are known."""

import jax
import jax.numpy as jnp

SLIDERS = (3, 4, 5)
KING = 6


@jax.jit
def reach(piece, distance, blocked):
    if piece in SLIDERS and not blocked:
        return 7 - distance
    if piece == KING or piece not in (1, 2, *SLIDERS):
        return 1
    return 2 if piece == 2 else 0


def main():
    return [reach(jnp.int32(p), d, b) for p in range(8) for d, b in ((0, False), (3, True))]
