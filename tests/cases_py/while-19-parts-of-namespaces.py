# /// case
# id = "while-19-parts-of-namespaces"
# kind = "traced-while"
# expect = "fix"
# findings = [19, 23]
# ///
"""State behind dots and brackets: an attribute's item, an item's attribute, an item at a static variable."""
import types

import jax
import jax.numpy as jnp


@jax.jit
def fall(h, g):
    ball = types.SimpleNamespace(pos=[0.0, h], vel={"x": 1.0, "y": 0.0}, hits=0)
    world = {"dt": 0.25, "floor": [0.0]}
    axis = 1
    while ball.pos[axis] > world["floor"][0]:
        ball.vel["y"] -= g * world["dt"]
        ball.pos[0] += ball.vel["x"] * world["dt"]
        ball.pos[axis] += ball.vel["y"] * world["dt"]
        if ball.vel["y"] < -2.0:
            ball.hits += 1
    return ball.pos, ball.vel, ball.hits


def main():
    return [fall(jnp.float32(h), jnp.float32(g)) for h, g in ((1.0, 9.8), (0.0, 9.8), (5.0, 2.0))]
