# /// case
# id = "bool-15-tuples-in-tables"
# kind = "traced-bool-op"
# expect = "fix"
# findings = [19, 26, 31, 36]
# ///
"""`in` compares whole tuples; a longer table is compared as rows of one array."""

import jax
import jax.numpy as jnp

PITS = ((1, 1), (2, 3))
WALLS = [(0, 0), (0, 1), (2, 0), (3, 3)]


@jax.jit
def fee(pos):
    row, col = pos
    if (row, col) in PITS:
        return 1
    return 0


@jax.jit
def blocked(pos):
    return pos in WALLS


@jax.jit
def moved(pos, other):
    return pos != other


@jax.jit
def safe(row, col):
    return (row, col) not in PITS and row > 0


def main():
    places = [(0, 1), (1, 1), (2, 3), (1, 3), (3, 3), (3, 1)]
    return [(fee(p), blocked(p), moved(p, (1, 3)), safe(*p)) for p in places]
