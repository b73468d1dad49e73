# /// case
# id = "list-12-made-anew-in-each-round"
# kind = "break-continue"
# expect = "fix"
# findings = [21, 34, 44]
# ///
"""Lists that are made anew in each round and stay as long as they were."""

import jax
import jax.numpy as jnp


@jax.jit
def by_items(x):
    pair = [x, x + 1]
    for k in range(4):
        new = []
        for p in pair:
            new.append(p * 2 + k)
        pair = new
        if pair[0] > 10:
            break
    return pair


@jax.jit
def by_number(x):
    pair = [x, x + 1]
    for _ in range(4):
        new = []
        for i in range(2):
            new.append(pair[i] * 2)
        pair = new
        if pair[0] > 10:
            break
    return pair


@jax.jit
def shifted(x):
    pair = [x, x + 1]
    for k in range(4):
        pair = [*pair[1:], sum(pair) + k]
        if pair[0] > 10:
            break
    return pair


def main():
    return [f(v) for f in (by_items, by_number, shifted) for v in (0.0, 3.0, 20.0)]
