# /// case
# id = "method-05-bare-returns"
# kind = "early-return"
# expect = "fix"
# findings = [21, 24]
# ///
"""A procedure with bare returns changes the object that its caller made; it has no value."""
import jax
import jax.numpy as jnp


class Gauge:
    def __init__(self, level):
        self.level = level
        self.alarms = 0


def update(gauge, inflow):
    """Add the inflow; stop early when the tank is dry or runs over."""
    gauge.level = gauge.level + inflow
    if gauge.level <= 0:
        gauge.level = 0.0
        return
    if gauge.level > 10.0:
        gauge.level = 10.0
        gauge.alarms += 1
        return
    gauge.level *= 0.5


@jax.jit
def day(level, inflow):
    gauge = Gauge(level)
    update(gauge, inflow)
    update(gauge, 1.0)
    return gauge.level, gauge.alarms


def main():
    cases = [(1.0, -2.0), (1.0, -1.0), (4.0, 2.0), (9.0, 5.0), (10.0, 0.0)]
    return [day(jnp.float32(a), jnp.float32(b)) for a, b in cases]
