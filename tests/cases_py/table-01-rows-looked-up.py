# /// case
# id = "table-01-rows-looked-up"
# kind = "concretize-cast"
# expect = "fix"
# findings = [16, 17, 18]
# ///
"""Rows of a table, unpacked, indexed and summed."""
import jax
import jax.numpy as jnp

TABLE = [(1.0, 2.0), (3.0, 4.0), (5.0, 7.0)]


@jax.jit
def f(i, a, b):
    x, y = TABLE[i]
    first = ((a, b), (b, a))[i % 2][0]
    return x * y, first, sum(TABLE[i])


def main():
    return [f(jnp.int32(i), jnp.float32(2.5), jnp.float32(7.0)) for i in (0, 1, 2)]
