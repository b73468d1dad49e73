# /// case
# id = "static-11-settled-before-the-rest"
# kind = "static-arg"
# expect = "fix"
# findings = [19, 21, 25, 27, 34]
# ///
"""A count that has to be static decides loops as well, which stay as they are."""

import math

import jax
import jax.numpy as jnp


@jax.jit
def divisors(n: int, x):
    count = 1
    left = n
    for i in range(3, int(math.sqrt(n)) + 1, 2):
        power = 1
        while left % i == 0:
            power += 1
            left = int(left / i)
        count *= power
    if left > 1:
        count *= 2
    if x > 0:
        x = x + count
    return x * jnp.ones(n)


@jax.jit
def fraction(x, digits: int):
    return round(x - jnp.floor(x), digits)


def main():
    return divisors(45, 2.0), divisors(21, -1.0), fraction(1.2345, 2)
