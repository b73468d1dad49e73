# /// case
# id = "return-08-arrays-like-a-named-one"
# kind = "early-return"
# expect = "fix"
# findings = [14, 16, 17, 26, 27, 29, 38, 39]
# ///
"""Loops return arrays of the type of an argument, of one that changes in the loop, and of one that nobody changes."""
import jax
import jax.numpy as jnp


@jax.jit
def without_first_negative(x, n):
    if n < 0:
        return x
    for i in range(n):
        if x[i] < 0:
            return x.at[i].set(0.0)
    x = x * 2.0
    return x


@jax.jit
def shrink(x, n, t):
    """Some vector, and where the loop was left."""
    for i in range(n):
        if x[0] < t:
            return x * 3.0, i
        if x[1] > 10.0:
            return x - 1.0, -1
        x = x * 0.5
    return -x, n


@jax.jit
def pick(x, n, table):
    i = 0
    while i < n:
        if x > 3.0:
            return table
        x += 1.0
        i += 1
    return table * x


def main():
    x = jnp.array([1.0, -1.0, 2.0])
    firsts = [without_first_negative(x, jnp.int32(n)) for n in (-1, 0, 1, 3)]
    pairs = [jnp.array([a, b], jnp.float32) for a in (1.0, 30.0) for b in (1.0, 60.0)]
    shrunk = [shrink(p, jnp.int32(n), jnp.float32(0.2)) for p in pairs for n in (0, 1, 4)]
    table = jnp.arange(3.0)
    return firsts, shrunk, [pick(jnp.float32(v), jnp.int32(n), table) for v in (1, 5) for n in (0, 1, 4)]
