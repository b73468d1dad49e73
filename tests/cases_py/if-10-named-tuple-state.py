# /// case
# id = "if-10-named-tuple-state"
# kind = "traced-if"
# expect = "fix"
# findings = [24]
# ///
"""`_replace` on a named tuple of state in one branch; nothing in the other."""

from typing import NamedTuple

import jax
import jax.numpy as jnp


class State(NamedTuple):
    x: jax.Array
    best: jax.Array
    age: jax.Array


@jax.jit
def observe(state, value):
    state = state._replace(x=value, age=state.age + 1)
    if value < state.best:
        state = state._replace(best=value, age=jnp.int32(0))
    return state


def main():
    state = State(jnp.float32(0.0), jnp.float32(5.0), jnp.int32(0))
    out = []
    for value in (7.0, 3.0, 3.0, -1.0):
        state = observe(state, jnp.float32(value))
        out.append(state)
    return out
