# /// case
# id = "if-05-shape-differs"
# kind = "traced-if"
# expect = "report"
# findings = [15]
# ///
"""The branches give arrays of different lengths."""

import jax
import jax.numpy as jnp


@jax.jit
def trim(x, keep):
    if keep > 0.0:
        x = x[1:-1]
    return x


def main():
    x = jnp.arange(4.0)
    return [trim(x, jnp.float32(1.0)), trim(x, jnp.float32(-1.0))]
