# /// case
# id = "for-02-bounds-both-traced"
# kind = "traced-for"
# expect = "fix"
# findings = [17]
# ///
"""Start and stop both come from data; the index is used in arithmetic and as an array index."""

import jax
import jax.numpy as jnp


@jax.jit
def window_sum(x, start, stop):
    total = jnp.zeros((), x.dtype)
    last = -1
    for i in range(start, stop):
        total += x[i] * (i + 1)
        last = i
    return total, last


def main():
    x = jnp.array([1.0, 2.0, 4.0, 8.0, 16.0])
    return [window_sum(x, jnp.int32(a), jnp.int32(b)) for a, b in ((0, 5), (1, 3), (2, 2), (4, 1))]
