# /// case
# id = "closure-04-moved-statements"
# kind = "early-return"
# expect = "report"
# findings = [23, 38, 53, 69]
# ///
"""Statements that would move into a function change what others see.

A local function of a branch has variables of its own: `reach` would go on reading the
old `scale`, and the outer `hits` would never change.
"""

import jax
import jax.numpy as jnp


@jax.jit
def after_return(v):
    def reach():
        return scale * jnp.linalg.norm(v)

    if v[0] > 5:
        return v[0]
    scale = 3.0
    total = reach() + scale
    return total * 2


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
def shared_rest(v, w):
    scale = 1.0

    def reach():
        return scale * v

    if v > 0:
        if w > 0:
            return 0.0
    elif w > 3:
        return 1.0
    scale = 3.0
    total = reach() + scale
    return total * 2


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
    return (
        [(after_return(v), in_a_branch(v)) for v in vectors],
        [(shared_rest(a, b), outer_variable(a, b)) for a in numbers for b in numbers],
    )
