# /// case
# id = "match-04-classes-clean"
# kind = "traced-if"
# expect = "clean"
# findings = []
# ///

from dataclasses import dataclass
from typing import NamedTuple

import jax
import jax.numpy as jnp


class Ball(NamedTuple):
    r: jax.Array


@jax.tree_util.register_dataclass
@dataclass
class Box:
    w: jax.Array
    h: jax.Array


@jax.jit
def area(shape, unit=None):
    """Which class it is, is known while tracing."""
    match shape:
        case Ball(r=r):
            a = jnp.pi * r * r
        case Box(w, h):
            a = w * h
        case [first, *others]:
            a = area(first) + sum(area(o) for o in others)
        case str() | None:
            raise TypeError("no shape")
        case _:
            a = shape
    match unit:
        case None:
            return a
        case (num, den):
            return a * num / den
        case _:
            return a * unit


def main():
    shapes = [Ball(jnp.float32(2.0)), Box(jnp.float32(2.0), jnp.float32(3.0)), [Ball(1.0), Ball(2.0)], jnp.float32(7.0)]
    return [area(s) for s in shapes] + [area(shapes[0], (1.0, 2.0)), area(shapes[1], 0.5)]
