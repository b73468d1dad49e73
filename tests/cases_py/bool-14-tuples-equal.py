# /// case
# id = "bool-14-tuples-equal"
# kind = "traced-if"
# expect = "fix"
# findings = [19, 28, 30]
# ///
"""A tuple that is compared with a named one, or looked for among some, is compared part by part."""
import jax
import jax.numpy as jnp

SIZE = 5
GOAL = (4, 4)
PITS = ((1, 1), (2, 3))


@jax.jit
def move(pos, action):
    row, col = pos
    if action == 0:
        row = max(row - 1, 0)
    elif action == 1:
        row = min(row + 1, SIZE - 1)
    elif action == 2:
        col = max(col - 1, 0)
    elif action == 3:
        col = min(col + 1, SIZE - 1)
    here = (row, col)
    if here == GOAL:
        reward, done = 1.0, True
    elif here in PITS:
        reward, done = -1.0, True
    else:
        reward, done = -0.01, False
    return here, reward, done


def main():
    starts = [(0, 0), (4, 3), (3, 4), (0, 1), (2, 4), (1, 0), (2, 2)]
    return [move(s, a) for s in starts for a in range(5)]
