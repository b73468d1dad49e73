# /// case
# id = "closure-06-moved-statements"
# kind = "closure-capture"
# expect = "fix"
# findings = [19, 22, 33, 36, 37]
# ///
"""Statements that move into a function bind what a closure reads: it gets an argument.

A local function of a branch has variables of its own, so `reach` would go on reading the
old `scale`, or none.
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


def main():
    vectors = [jnp.array(v) for v in ([1.0, 2.0], [9.0, 0.0], [-3.0, 4.0])]
    numbers = [jnp.float32(x) for x in (-1.0, 1.0, 4.0)]
    found = [after_return(v) for v in vectors]
    return found, [shared_rest(a, b) for a in numbers for b in numbers]
