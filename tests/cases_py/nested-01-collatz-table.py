# /// case
# id = "nested-01-collatz-table"
# kind = "nested"
# expect = "fix"
# findings = [16, 18, 19]
# ///
"""A while loop with a branch, inside a for loop with a traced bound, writing into an array."""

import jax
import jax.numpy as jnp


@jax.jit
def collatz(count):
    steps = jnp.zeros(6, dtype=jnp.int32)
    for n in range(1, count):
        value, taken = n, 0
        while value != 1:
            if value % 2 == 0:
                value = value // 2
            else:
                value = 3 * value + 1
            taken += 1
        steps = steps.at[n - 1].set(taken)
    return steps


def main():
    return [collatz(jnp.int32(n)) for n in (1, 2, 7)]
