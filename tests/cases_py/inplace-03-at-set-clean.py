# /// case
# id = "inplace-03-at-set-clean"
# kind = "inplace-update"
# expect = "clean"
# findings = []
# ///
"""Functional updates and stores into a Python list are both fine."""

import jax
import jax.numpy as jnp


@jax.jit
def rotate(x, i):
    parts = [x[0], x[1], x[2]]
    parts[0] = parts[2] * 2.0
    y = jnp.stack(parts)
    y = y.at[i].add(1.0)
    return jnp.where(y < 0.0, 0.0, y)


def main():
    x = jnp.array([1.0, -2.0, 3.0])
    return [rotate(x, 0), rotate(x, 2), rotate(-x, jnp.int32(1))]
