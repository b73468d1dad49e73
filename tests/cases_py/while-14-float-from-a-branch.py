# /// case
# id = "while-14-float-from-a-branch"
# kind = "traced-while"
# expect = "fix"
# findings = [16, 17, 18, 28, 29]
# ///
"""An integer becomes a float in a branch of a branch of a loop: the carry is a float."""

import jax
import jax.numpy as jnp


@jax.jit
def drain(level, rate, steps):
    k = 0
    while k < steps:
        if level > 10:
            if rate > 0.5:
                level = level - rate
            else:
                level = level - 1
        k = k + 1
    return level


@jax.jit
def settle(level, rate, steps):
    for _ in range(steps):
        if level > 10:
            level -= 2
            level *= 3
        elif rate > 0.5:
            level += rate
    return level


def main():
    drained = drain(jnp.int32(20), jnp.float32(0.75), jnp.int32(8))
    settled = settle(jnp.int32(12), jnp.float32(0.75), jnp.int32(8))
    return [float(drained), float(settled)]
