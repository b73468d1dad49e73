# /// case
# id = "builtin-06-operator-module"
# kind = "traced-if"
# expect = "fix"
# findings = [27, 29]
# ///
"""Comparisons through the operator module, and itemgetter and attrgetter on state."""
import operator
from typing import NamedTuple

import jax
import jax.numpy as jnp


class Probe(NamedTuple):
    depth: jax.Array
    heat: jax.Array


heat_of = operator.attrgetter("heat")


@jax.jit
def inspect(probe, pair):
    second = operator.itemgetter(1)
    out = 0.0
    if operator.gt(probe.depth, 2.0):
        out = heat_of(probe)
    if operator.le(second(pair), out):
        out = operator.neg(out)
    return out, operator.mul(second(pair), 2.0)


def main():
    cases = [((1.0, 5.0), (0.0, 1.0)), ((3.0, 5.0), (0.0, 1.0)), ((3.0, 0.5), (0.0, 1.0)), ((0.0, 1.0), (0.0, -1.0))]
    return [inspect(Probe(*map(jnp.float32, p)), tuple(map(jnp.float32, q))) for p, q in cases]
