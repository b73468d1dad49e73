# /// case
# id = "shape-18-mask-of-a-joined-array"
# kind = "dynamic-shape"
# expect = "fix"
# findings = [17, 18]
# ///
"""The array was put together before, and its mask is made of itself."""

import jax
import jax.numpy as jnp
import numpy as np


@jax.jit
def mean_above(x, y, floor):
    joined = jnp.concatenate([x, y * 2.0, jnp.zeros(2)])
    total = joined[joined > floor].sum()
    count = joined[jnp.abs(joined) > floor].size
    return total, count


def main():
    x, y = np.array([0.5, 2.0], np.float32), np.array([1.0, 0.125], np.float32)
    found = [mean_above(x, y, floor) for floor in (0.25, 1.0, 5.0)]
    return [(float(t), int(n)) for t, n in found]
