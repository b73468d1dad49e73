# /// case
# id = "closure-04-outer-variables"
# kind = "early-return"
# expect = "report"
# findings = [21]
# ///
"""In a branch that is a function, `parts[0]` would go on reading the old `scale`."""

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


def main():
    vectors = [jnp.array(v) for v in ([1.0, 2.0], [9.0, 0.0], [-3.0, 4.0])]
    return [in_a_branch(v) for v in vectors]
