# /// case
# id = "state-08-items-of-an-attribute"
# kind = "traced-if"
# expect = "fix"
# findings = [29]
# ///
"""Augmented assignments of many kinds: names, attributes, and items that `__init__` made.

Nobody else has the dict of a new box, and its methods only read items of it.
"""

import jax
import jax.numpy as jnp


class Box:
    def __init__(self, lo, hi):
        self.lo, self.hi = lo, hi
        self.tags = {"n": 1, "flag": False}

    def count(self):
        return self.tags["n"] + 1


@jax.jit
def grow(x, bits, m):
    box = Box(x, x + 1.0)
    p = 2.0
    if x > 1.0:
        box.hi **= 2
        box.tags["n"] <<= 2
        box.tags["flag"] |= True
        bits &= 6
        m @= m
    else:
        box.lo //= 2.0
        p -= 1.0
        bits ^= 5
        box.tags["n"] %= 1
    p *= box.hi
    return box.lo, box.hi, box.count(), box.tags["flag"], bits, m, p


def main():
    m = jnp.array([[1.0, 2.0], [0.0, 1.0]], jnp.float32)
    pairs = ((3.0, 7), (1.0, 12), (-2.5, 3))
    return [grow(jnp.float32(x), jnp.int32(b), m) for x, b in pairs]
