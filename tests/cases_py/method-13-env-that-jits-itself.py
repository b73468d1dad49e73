# /// case
# id = "method-13-env-that-jits-itself"
# kind = "method"
# expect = "fix"
# findings = [33, 36, 39, 40]
# ///
"""An object that jits its own method is made in main, which says what the method is given."""
from typing import NamedTuple

import jax
import jax.numpy as jnp


class Cart(NamedTuple):
    x: jax.Array
    v: jax.Array
    angle: jax.Array
    t: jax.Array


class Env:
    push = 3.0
    max_angle = 0.4

    def __init__(self, limit=5):
        self.limit = limit
        self.step = jax.jit(self._step)

    def out_of_track(self, state):
        return state.x < -1.0 or state.x > 1.0

    def terminal(self, state):
        return self.out_of_track(state) or abs(state.angle) > self.max_angle

    def _step(self, state, action):
        force = self.push if action == 1 else -self.push
        v = state.v + 0.1 * force
        new = Cart(state.x + 0.1 * v, v, state.angle - 0.05 * v, state.t + 1)
        done = self.terminal(new) or new.t >= self.limit
        reward = 0.0 if done else 1.0
        return new, reward, done


def main():
    out = []
    for limit, actions in ((5, (1, 1, 0, 1, 0, 0)), (9, (1, 1, 1, 1, 1, 1, 1, 1, 1))):
        env = Env(limit)
        state = Cart(jnp.float32(0.0), jnp.float32(0.5), jnp.float32(0.1), jnp.int32(0))
        for a in actions:
            state, reward, done = env.step(state, a)
            out.append((tuple(state), reward, done))
    return out
