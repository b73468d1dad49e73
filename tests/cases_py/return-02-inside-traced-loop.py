# /// case
# id = "return-02-inside-traced-loop"
# kind = "early-return"
# expect = "fix"
# findings = [15, 16]
# ///
"""A bounded search returns from inside the loop, and has a value for 'not found'."""

import jax
import jax.numpy as jnp


@jax.jit
def find(x, target, count):
    for i in range(count):
        if x[i] == target:
            return i, x[i] * 2.0
    return -1, jnp.float32(0.0)


def main():
    x = jnp.array([3.0, 1.0, 4.0, 1.0, 5.0])
    asked = ((4.0, 5), (1.0, 5), (4.0, 2), (9.0, 5), (3.0, 0))
    return [find(x, jnp.float32(t), jnp.int32(n)) for t, n in asked]
