# /// case
# id = "cast-08-complex-functions"
# kind = "concretize-cast"
# expect = "fix"
# findings = [17, 20, 22, 22]
# ///
"""The functions of `cmath` ask for numbers, and give complex ones of real ones too."""

import cmath

import jax
import jax.numpy as jnp


@jax.jit
def roots(a, b, c):
    root = cmath.sqrt(b * b - 4 * a * c)
    first = (-b + root) / (2 * a)
    second = (-b - root) / (2 * a)
    if abs(first) > 1:
        first = first / abs(first)
    return first, second, cmath.phase(second), cmath.exp(1j * cmath.pi * b)


def main():
    numbers = [(1.0, 2.0, 3.0), (1.0, -3.0, 2.0), (2.0, 0.5, -4.0)]
    return [roots(*map(jnp.asarray, three)) for three in numbers]
