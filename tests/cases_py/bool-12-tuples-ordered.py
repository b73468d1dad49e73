# /// case
# id = "bool-12-tuples-ordered"
# kind = "traced-bool-op"
# expect = "report"
# findings = [28, 29, 30, 31, 32]
# ///
"""Tuples and records are ordered and compared part by part; names that differ decide before a tracer is asked."""
import dataclasses
from typing import NamedTuple

import jax
import jax.numpy as jnp


class Point(NamedTuple):
    x: jax.Array
    y: jax.Array


@dataclasses.dataclass
class Cell:
    row: jax.Array
    col: jax.Array


@jax.jit
def f(a, b):
    top = max((a, 1.0), (b, 2.0))
    less = (a, b) < (b, a)
    ranked = sorted([(a, b), (b, a)])
    same = Point(a, b) == Point(b, a)
    if Cell(a, b) == Cell(b, b):
        less = True
    named = sorted({"x": a, "w": b}.items())
    static = ("a", a) < ("b", b)
    return top[0], less, ranked[0][0], same, named[0][1], static


def main():
    return [f(*map(jnp.float32, c)) for c in ((1.0, -1.0), (2.0, 2.0), (-3.0, 3.0))]
