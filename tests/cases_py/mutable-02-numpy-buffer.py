# /// case
# id = "mutable-02-numpy-buffer"
# kind = "mutable-capture"
# expect = "fix"
# findings = [18]
# ///
"""A numpy buffer at module level is written in place after the first call."""

import jax
import jax.numpy as jnp
import numpy as np

offsets = np.zeros(3, dtype=np.float32)


@jax.jit
def shift(x):
    return x + offsets


def main():
    offsets[:] = 0.0
    x = jnp.arange(3.0)
    first = shift(x)
    offsets[1] = 10.0
    second = shift(x)
    return [first, second]
