# /// case
# id = "table-02-tuples-looked-up"
# kind = "concretize-cast"
# expect = "report"
# findings = [14, 15]
# ///
"""A tuple is the result of the lookup, and another one holds an integer."""
import jax
import jax.numpy as jnp


@jax.jit
def f(i, a, b):
    n, w = ((2, a), (1, b))[i]
    return ((a, b), (b, a))[i], n, w


def main():
    return [f(jnp.int32(i), jnp.float32(2.5), jnp.float32(7.0)) for i in (0, 1)]
