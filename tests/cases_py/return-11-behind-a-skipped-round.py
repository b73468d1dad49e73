# /// case
# id = "return-11-behind-a-skipped-round"
# kind = "early-return"
# expect = "fix"
# findings = [21]
# ///

import jax
import jax.numpy as jnp

LIMITS = {"temp": 80.0, "load": 0.9, "fan": 3000.0}


@jax.jit
def first_alarm(readings, margin):
    """Number of the first quantity out of its limits, and by how much; (-1, 0) when all is well."""
    for code, (name, limit) in enumerate(LIMITS.items()):
        if name not in readings:
            continue
        over = readings[name] / limit - 1.0
        if over <= margin:
            continue
        if name == "fan":
            over = jnp.minimum(over, 1.0)
        return code, over
    return -1, 0.0


def main():
    rows = [
        {"temp": 70.0, "load": 0.5, "fan": 1000.0},
        {"temp": 90.0, "load": 2.0, "fan": 1000.0},
        {"temp": 79.0, "load": 0.5, "fan": 9000.0},
    ]
    return [first_alarm(r, m) for r in rows for m in (0.0, 0.2)] + [first_alarm({"load": 1.8}, 0.5)]
