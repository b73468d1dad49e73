# /// case
# id = "static-12-no-hash"
# kind = "static-arg"
# expect = "report"
# findings = [16]
# ///
"""A list has no hash, whoever may call the function: it is not declared static."""

import jax
import jax.numpy as jnp


@jax.jit
def peak(values: list[int]) -> int:
    middle = len(values) // 2
    if values[middle] > values[middle - 1] and values[middle] > values[middle + 1]:
        return values[middle]
    elif values[middle] < values[middle + 1]:
        return peak(values[middle:])
    return peak(values[: middle + 1])


def main():
    return jnp.zeros(2)
