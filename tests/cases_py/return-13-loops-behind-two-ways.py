# /// case
# id = "return-13-loops-behind-two-ways"
# kind = "early-return"
# expect = "fix"
# findings = [16, 19, 23, 28, 32]
# ///
"""A loop returns, then a branch does, and both ways go on to loops that return, too."""

import jax
import jax.numpy as jnp


@jax.jit
def settle(x, y):
    for _ in range(2):
        if y == 2.0:
            return x + 2.0
        y = y + 1.0
    if y != 0.0:
        y = x * 2.0
        y = y + 1.0
    else:
        if y < 0.3:
            return y
        y = x - 1.0
    for _ in range(3):
        y = y * 2.0
        if y > 5.0:
            return y - x
    for _ in range(3):
        y = y * 2.0
        if y > 5.0:
            return y - 2 * x
        x = x + y
    return x - y


def main():
    starts = [(x, y) for x in (-1.0, 0.0, 0.6, 2.0) for y in (-2.0, 0.0, 1.0, 2.0)]
    return [settle(jnp.float32(x), jnp.float32(y)) for x, y in starts]
