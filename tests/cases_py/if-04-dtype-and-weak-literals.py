# /// case
# id = "if-04-dtype-and-weak-literals"
# kind = "traced-if"
# expect = "fix"
# findings = [15]
# ///
"""An int literal meets a float in the other branch, and a bool meets a comparison."""

import jax
import jax.numpy as jnp


@jax.jit
def classify(x):
    if x > 1.0:
        level, flag = 2, True
    elif x > 0.0:
        level, flag = x * 0.5, x > 0.5
    else:
        level, flag = 0, False
    return level + 1.0, flag


def main():
    return [classify(jnp.float32(v)) for v in (3.0, 0.75, 0.25, 0.0, -1.0)]
