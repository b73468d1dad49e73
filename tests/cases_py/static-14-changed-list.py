# /// case
# id = "static-14-changed-list"
# kind = "static-arg"
# expect = "report"
# findings = [16, 18]
# ///
"""A list that the function changes in place becomes no tuple, static or not."""

import jax
import jax.numpy as jnp


@jax.jit
def ordered(numbers):
    index = 0
    while index < len(numbers):
        right = numbers[index] - 1
        if index != right:
            numbers[index], numbers[right] = numbers[right], numbers[index]
        else:
            index += 1
    return jnp.array(numbers)


def main():
    with jax.disable_jit():
        return ordered([3, 1, 2])
