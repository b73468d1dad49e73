# /// case
# id = "unrolled-02-short-clean"
# kind = "unrolled-loop"
# expect = "clean"
# findings = []
# ///
"""Three steps, unrolled on purpose; and a loop whose steps have different shapes."""

import jax
import jax.numpy as jnp


@jax.jit
def newton_root(a):
    x = a
    for _ in range(3):
        x = 0.5 * (x + a / x)
    return x


@jax.jit
def telescoping(x):
    for width in (4, 3, 2):
        x = x[:width] * 2.0
    return x


def main():
    return [newton_root(jnp.float32(2.0)), telescoping(jnp.arange(5.0))]
