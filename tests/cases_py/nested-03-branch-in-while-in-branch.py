# /// case
# id = "nested-03-branch-in-while-in-branch"
# kind = "nested"
# expect = "fix"
# findings = [16, 17, 18]
# ///
"""Three levels: a branch with a loop in one arm, whose body branches again on two values."""

import jax
import jax.numpy as jnp


@jax.jit
def settle(x, target):
    moves = 0
    if x != target:
        while jnp.abs(x - target) > 0.25:
            if x > target:
                x = x - 0.5
            elif x < target - 4.0:
                x = x + 2.0
            else:
                x = x + 0.5
            moves += 1
    else:
        moves = -1
    return x, moves


def main():
    pairs = ((0.0, 0.0), (3.0, 1.0), (-9.0, 1.0), (0.9, 1.0))
    return [settle(jnp.float32(a), jnp.float32(b)) for a, b in pairs]
