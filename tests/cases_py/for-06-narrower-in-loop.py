# /// case
# id = "for-06-narrower-in-loop"
# kind = "traced-for"
# expect = "fix"
# findings = [16, 25, 34]
# ///
"""A name is a float before the loop and an integer or a bool in it: the carry is one."""

import jax
import jax.numpy as jnp


@jax.jit
def last_index(x, n):
    where = 0.5
    for i in range(n):
        where = i
        x = i * 2
    return where, x


@jax.jit
def countdown(x, n):
    state = x
    while n > 0:
        n = n - 1
        state = n if x > 2 else True
    return state * 2


@jax.jit
def is_larger(x, n):
    larger = 2
    for i in range(n):
        larger = x > i
    return larger


def main():
    pairs = [(jnp.float32(x), jnp.int32(n)) for x in (0.5, 2.5) for n in (0, 1, 4)]
    return [(last_index(x, n), countdown(x, n), is_larger(x, n)) for x, n in pairs]
