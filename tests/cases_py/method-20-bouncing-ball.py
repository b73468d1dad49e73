# /// case
# id = "method-20-bouncing-ball"
# kind = "method"
# expect = "fix"
# findings = [28, 32]
# ///
"""A step method changes attributes of a local object, with item and attribute assignment under a condition."""

import dataclasses

import jax
import jax.numpy as jnp


@jax.tree_util.register_dataclass
@dataclasses.dataclass
class Ball:
    pos: jax.Array
    vel: jax.Array
    bounces: int = 0


@jax.jit
def advance(ball, dt, floor=0.0):
    ball = dataclasses.replace(ball)
    ball.vel = ball.vel.at[1].add(-9.8 * dt)
    ball.pos = ball.pos + ball.vel * dt
    if ball.pos[1] < floor:
        ball.pos = ball.pos.at[1].set(floor)
        ball.vel = ball.vel.at[1].multiply(-0.8)
        ball.bounces += 1
        if abs(ball.vel[1]) < 0.5:
            ball.vel = ball.vel.at[1].set(0.0)
    return ball


def main():
    out = []
    for h in (0.0, 0.2, 5.0):
        b = Ball(jnp.array([0.0, h]), jnp.array([1.0, 0.0]))
        for _ in range(6):
            b = advance(b, 0.1)
            out.append((b.pos, b.vel, b.bounces))
    return out
