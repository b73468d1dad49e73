# /// case
# id = "state-01-attribute-counter"
# kind = "side-effect-state"
# expect = "report"
# findings = [21, 22]
# ///
"""A compiled method counts its calls in an attribute: it counts traces."""

import jax
import jax.numpy as jnp


class Meter:
    def __init__(self):
        self.total = 0.0
        self.seen = 0

    def wrap(self):
        @jax.jit
        def add(x):
            self.seen += 1
            self.total = self.total + x
            return x * 2.0

        return add


def main():
    meter = Meter()
    add = meter.wrap()
    return [add(jnp.float32(v)) for v in (1.0, 2.0)] + [meter.seen]
