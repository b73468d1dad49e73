# /// case
# id = "inplace-04-mask-and-slices"
# kind = "inplace-update"
# expect = "fix"
# findings = [17, 18]
# ///
"""A mask store and a strided store into a copy of a traced argument."""

import jax
import jax.numpy as jnp
import numpy as np


@jax.jit
def clean(x, floor):
    y = x.copy()
    y[y < floor] = floor
    y[::2] -= 1.0
    return y, x


def main():
    rows = ([0.0, 5.0, -3.0, 2.0], [1.0, 1.0, 1.0, 1.0])
    return [clean(np.array(r, np.float32), np.float32(0.5)) for r in rows]
