# /// case
# id = "cross-02-function-argument"
# kind = "cross-function"
# expect = "fix"
# findings = [15]
# ///
"""The faulty function is handed to a higher-order one, with `lax.fori_loop` inside."""

import jax
import jax.numpy as jnp
from jax import lax


def bounce(i, x):
    if x > 2.0:
        return x - 3.0
    return x + 1.0


def repeat(body, count, x):
    return lax.fori_loop(0, count, body, x)


def main():
    return [repeat(bounce, n, jnp.float32(0.0)) for n in (0, 1, 4, 9)]
