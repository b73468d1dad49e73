# /// case
# id = "rng-05-key-of-a-state"
# kind = "rng"
# expect = "report"
# findings = [23, 28]
# ///
"""A step draws from the key of its state, and returns the state with the same key. Others give it a new one, in the step or
in the loop, or fold a number in; one state is made anew in each round."""
from typing import NamedTuple

import jax
import jax.numpy as jnp


class Walk(NamedTuple):
    key: jax.Array
    place: jax.Array
    steps: int = 0


@jax.jit
def advance(walk):
    move = jax.random.normal(walk.key, walk.place.shape)
    return walk._replace(place=walk.place + move, steps=walk.steps + 1)


def shake(state, _):
    noise = jax.random.uniform(state["key"], (2,))
    return {**state, "x": state["x"] + noise}, noise


@jax.jit
def renewed(walk):
    key, sub = jax.random.split(walk.key)
    walk = walk._replace(key=key)
    return walk._replace(place=walk.place + jax.random.normal(sub, walk.place.shape))


@jax.jit
def folded(walk):
    key = jax.random.fold_in(walk.key, walk.steps)
    return walk._replace(place=walk.place + jax.random.normal(key, (2,)), steps=walk.steps + 1)


@jax.jit
def once(walk):
    return walk._replace(place=jax.random.normal(walk.key, (2,)))


def main():
    key = jax.random.key(0)
    one = two = three = Walk(key, jnp.zeros(2))
    for _ in range(2):
        one = advance(one)
        two = renewed(two)
        three = folded(three)
    firsts = []
    for seed in range(2):
        walk = Walk(jax.random.key(seed), jnp.zeros(2))
        walk = once(walk)
        firsts.append(walk.place)
    last, noises = jax.lax.scan(shake, {"key": key, "x": jnp.zeros(2)}, None, length=2)
    return [bool(jnp.all(noises[0] == noises[1])), one.place, two.place, three.place, firsts, last["x"]]
