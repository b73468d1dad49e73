# /// case
# id = "for-04-reversed-and-step"
# kind = "traced-for"
# expect = "fix"
# findings = [16, 19, 21]
# ///
"""Counting down, by steps, and with `reversed`; the bound is computed."""

import jax
import jax.numpy as jnp


@jax.jit
def horner(coefficients, x, degree):
    value = 0.0
    for i in range(degree, -1, -1):
        value = value * x + coefficients[i]
    odd = 0
    for i in reversed(range(degree)):
        odd = odd * 2 + i
    for i in range(0, degree, 2):
        odd = odd + i
    return value, odd


def main():
    c = jnp.array([1.0, -2.0, 0.5, 3.0])
    return [horner(c, jnp.float32(2.0), jnp.int32(n)) for n in (3, 1, 0)]
