# /// case
# id = "nested-04-grid-world"
# kind = "nested"
# expect = "fix"
# findings = [29, 32, 43, 46]
# ///
"""A grid world: the action is matched, walls stop the move, and a done flag freezes everything."""

from typing import NamedTuple

import jax
import jax.numpy as jnp


class State(NamedTuple):
    row: jax.Array
    col: jax.Array
    done: jax.Array
    t: jax.Array


SIZE = 4
WALLS = jnp.zeros((SIZE, SIZE), bool).at[1, 1].set(True).at[2, 3].set(True)
GOAL = (3, 3)


@jax.jit
def step(state: State, action):
    if state.done:
        return state, 0.0
    row, col = state.row, state.col
    match action:
        case 0:
            row -= 1
        case 1:
            row += 1
        case 2:
            col -= 1
        case 3:
            col += 1
        case _:
            pass
    if 0 <= row < SIZE and 0 <= col < SIZE and not WALLS[row, col]:
        state = state._replace(row=row, col=col)
    state = state._replace(t=state.t + 1)
    if (state.row, state.col) == GOAL:
        return state._replace(done=jnp.array(True)), 1.0
    elif state.t >= 8:
        state = state._replace(done=jnp.array(True))
    return state, -0.01


def main():
    out = []
    for plan in (
        [1, 1, 1, 3, 3, 3, 0, 0],
        [3, 3, 1, 4, 1, 3, 1, 0],
        [0, 2, 0, 2, 0, 2, 0, 2, 1],
    ):
        s = State(jnp.int32(0), jnp.int32(0), jnp.array(False), jnp.int32(0))
        for a in plan:
            s, r = step(s, jnp.int32(a))
            out.append((s, r))
    return out
