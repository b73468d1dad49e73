# /// case
# id = "global-06-replaced-object"
# kind = "global-capture"
# expect = "fix"
# findings = [28]
# oracle = "eager"
# ///

import dataclasses

import jax
import jax.numpy as jnp


@dataclasses.dataclass
class Physics:
    gravity: float = 9.8
    drag: float = 0.0
    label: str = "earth"


world = Physics()


@jax.jit
def fall(state, dt):
    height, speed = state
    speed = speed - dt * (world.gravity + world.drag * speed)
    return height + dt * speed, speed


def main():
    global world
    world = Physics()
    state = (jnp.float32(10.0), jnp.float32(0.0))
    out = [fall(state, 0.1)]
    world = dataclasses.replace(world, gravity=1.6, label="moon")
    out.append(fall(state, 0.1))
    world = Physics(drag=0.5)
    out.append(fall(out[-1], 0.2))
    return out
