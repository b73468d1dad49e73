# /// case
# id = "class-06-truth-of-own-class"
# kind = "concretize-cast"
# expect = "report"
# findings = [22, 37]
# ///
"""`if x`, `x or y` and `not x` ask the class, whose answer Python wants to be a bool."""

from dataclasses import dataclass
from typing import NamedTuple

import jax
import jax.numpy as jnp


class Interval(NamedTuple):
    lo: jax.Array
    hi: jax.Array

    def __bool__(self):
        # Python wants a real bool here.
        return bool(self.lo < self.hi)

    def meet(self, other):
        return Interval(jnp.maximum(self.lo, other.lo), jnp.minimum(self.hi, other.hi))


@jax.tree_util.register_dataclass
@dataclass
class Gap:
    lo: jax.Array
    hi: jax.Array

    def __bool__(self):
        wide = self.hi > self.lo
        # By way of a name.
        found = bool(wide)
        return found


@jax.jit
def shared(a, b, c):
    m = Interval(*a).meet(Interval(*b))
    return m.meet(Interval(*c)) or m


@jax.jit
def middle(gap, fallback):
    if not gap:
        return fallback
    return 0.5 * (gap.lo + gap.hi)


def main():
    found = [shared((0.0, 3.0), (1.0, 5.0), (2.0, x)) for x in (9.0, 1.0)]
    gaps = [Gap(jnp.float32(a), jnp.float32(b)) for a, b in ((0.0, 2.0), (3.0, 1.0))]
    return found, [middle(gap, -1.0) for gap in gaps]
