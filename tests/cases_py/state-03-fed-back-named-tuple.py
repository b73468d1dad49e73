# /// case
# id = "state-fed-back-named-tuple"
# kind = "method"
# expect = "fix"
# findings = [37, 42, 50, 59, 66]
# ///
"""A reactor whose state, a named tuple or a dataclass, goes round: out of a compiled
step and into it again."""

from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import jax
import jax.numpy as jnp


class Core(NamedTuple):
    heat: jax.Array
    rods: jax.Array
    scrammed: jax.Array


@jax.tree_util.register_dataclass
@dataclass
class Tank:
    level: jax.Array
    valve: jax.Array


class Plant:
    def __init__(self, limit):
        self.limit = limit

    @partial(jax.jit, static_argnums=0)
    def step(self, core, demand):
        if core.scrammed:
            return core, 0.0
        heat = core.heat + 0.3 - core.rods
        power = demand * heat
        rods = core.rods
        if heat > self.limit:
            rods = rods + 0.2
        return Core(heat, rods, heat > 2 * self.limit), power


@jax.jit
def shift(plant_heat):
    total = plant_heat
    if total > 3.0:
        total = 3.0 + 0.1 * (total - 3.0)
    return total


@jax.jit
def fill(tank, rate):
    """Fill the tank until the valve is shut."""
    level = tank.level + rate
    if level > 1.0:
        return Tank(jnp.float32(1.0), jnp.float32(0.0))
    return Tank(level, tank.valve)


@jax.jit
def policy(core):
    return 0.5 if core.heat > 1.0 else 1.0


def run(plant, steps):
    core = Core(jnp.float32(0.4), jnp.float32(0.0), jnp.bool_(False))
    powers = []
    for _ in range(steps):
        core, power = plant.step(core, policy(core))
        powers.append(power)
    return core, powers


def main():
    tank = Tank(jnp.float32(0.0), jnp.float32(1.0))
    for rate in (0.3, 0.5, 0.4):
        tank = fill(tank, rate)
    runs = [run(Plant(0.8), 3), run(Plant(0.3), 6)]
    return runs, tank.level, tank.valve, [shift(jnp.float32(v)) for v in (1.0, 8.0)]
