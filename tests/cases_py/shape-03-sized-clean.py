# /// case
# id = "shape-03-sized-clean"
# kind = "dynamic-shape"
# expect = "clean"
# findings = []
# ///
"""Forms with a known size: three-argument where, `size=`, a static slice, `dynamic_slice`."""

import jax
import jax.numpy as jnp
from jax import lax


@jax.jit
def sized(x, start):
    first = jnp.nonzero(x > 0.0, size=2, fill_value=-1)[0]
    kept = jnp.where(x > 0.0, x, 0.0)
    half = x[: x.shape[0] // 2]
    part = lax.dynamic_slice(x, (start,), (2,))
    distinct = jnp.unique(x, size=3, fill_value=0.0)
    return first, kept, half, part, distinct


def main():
    x = jnp.array([1.0, -1.0, 2.0, 2.0])
    return [sized(x, 0), sized(x, jnp.int32(2))]
