# /// case
# id = "state-06-method-of-own-object"
# kind = "method"
# expect = "fix"
# findings = [23]
# ///
"""A method changes the object that its caller has made in the same trace."""

from dataclasses import dataclass

import jax
import jax.numpy as jnp


@jax.tree_util.register_dataclass
@dataclass
class Tank:
    level: jax.Array
    spilled: jax.Array

    def pour(self, amount, cap=10.0):
        self.level = self.level + amount
        if self.level > cap:
            self.spilled += self.level - cap
            self.level = jnp.asarray(cap)


@jax.jit
def day(level, inflow):
    tank = Tank(level, jnp.float32(0.0))
    tank.pour(inflow)
    tank.pour(inflow * 0.5, cap=8.0)
    return tank


def main():
    return [day(jnp.float32(a), jnp.float32(b)) for a, b in ((1.0, 2.0), (9.0, 3.0), (7.5, 1.0))]
