# /// case
# id = "inplace-06-named-tuple-field"
# kind = "inplace-update"
# expect = "fix"
# findings = [26, 27]
# want = "[[[0.4, 0.09999999], [1.0, -1.0], 1], [[0.8, 0.3], [1.0, 1.0], 2], [[1.2, 0.7], [1.0, 1.0], 3]]"
# oracle = "want"
# ///

from typing import NamedTuple

import jax
import jax.numpy as jnp


class State(NamedTuple):
    pos: jax.Array
    vel: jax.Array
    age: jax.Array


@jax.jit
def bounce(state: State, dt: float) -> State:
    state = state._replace(pos=state.pos + dt * state.vel, age=state.age + 1)
    below = state.pos[1] < 0.0
    state.vel[1] = jnp.where(below, -state.vel[1], state.vel[1])
    state.pos[1] *= jnp.where(below, -1.0, 1.0)
    return state


def main():
    state = State(jnp.array([0.0, 0.5]), jnp.array([1.0, -1.0]), jnp.int32(0))
    out = []
    for _ in range(3):
        state = bounce(state, 0.4)
        out.append(state)
    return out
