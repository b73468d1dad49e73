# /// case
# id = "closure-04-outer-variables"
# kind = "early-return"
# expect = "report"
# findings = [24, 38]
# ///
"""Branches that would become functions, and what others see of their variables.

`parts[0]` would go on reading the old `scale`, and the outer `hits` would never change.
"""

import jax
import jax.numpy as jnp


@jax.jit
def in_a_branch(v):
    scale = 1.0

    def reach():
        return scale * jnp.linalg.norm(v)

    parts = [reach]
    if v[0] > 0:
        scale = 2.0
        total = parts[0]()
    else:
        total = 0.0
    return total + scale


@jax.jit
def outer_variable(amount, limit):
    hits = 0.0

    def arrive(a):
        nonlocal hits
        if a > limit:
            hits = 1.0
            return limit
        return a

    return arrive(amount), hits


def main():
    vectors = [jnp.array(v) for v in ([1.0, 2.0], [9.0, 0.0], [-3.0, 4.0])]
    numbers = [jnp.float32(x) for x in (-1.0, 1.0, 4.0)]
    found = [in_a_branch(v) for v in vectors]
    return found, [outer_variable(a, b) for a in numbers for b in numbers]
