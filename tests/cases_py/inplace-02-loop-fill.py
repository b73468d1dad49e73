# /// case
# id = "inplace-02-loop-fill"
# kind = "inplace-update"
# expect = "fix"
# findings = [16, 18]
# ///
"""A local array is filled element by element in a loop, as in numpy."""

import jax
import jax.numpy as jnp
import numpy as np


def recurrence(start, count=5):
    out = np.zeros(count, dtype=np.float32)
    out[0] = start
    for i in range(1, count):
        out[i] = 0.5 * out[i - 1] + i
    return out


fast = jax.jit(recurrence)


def main():
    return [fast(jnp.float32(v)) for v in (0.0, 4.0, -2.0)]
