# /// case
# id = "if-08-bfloat16-branch"
# kind = "traced-if"
# expect = "fix"
# findings = [15]
# ///
"""Low precision stays low precision: literals must not widen the result."""

import jax
import jax.numpy as jnp


@jax.jit
def damp(x):
    if jnp.sum(x) > 1.0:
        x = x * 0.5
        bias = 0.0
    else:
        bias = 1.0
    return x + bias, x


def main():
    return [damp(jnp.array(v, jnp.bfloat16)) for v in ([1.0, 2.0], [0.5, -1.0], [0.0, 1.0])]
