# /// case
# id = "bool-09-and-or"
# kind = "traced-bool-op"
# expect = "fix"
# findings = [15, 16, 17, 18]
# ///
"""`c and x or y`, a choice as it was written before there was another spelling."""

import jax
import jax.numpy as jnp


@jax.jit
def choices(x, v):
    a = (x > 1.0 and v[0]) or 2.0
    b = x > 1.0 and 5.0 or 2.0
    c = x > 0.0 and v[1] > 1.0 and x or -x
    d = (x and v[0]) or (v[1] and x) or 7.0
    return a, b, c, d


def main():
    vectors = ([0.0, 3.0], [1.5, 0.5], [2.0, 0.0])
    found = [
        choices(jnp.float32(x), jnp.array(v)) for x in (0.0, 0.5, 2.0) for v in vectors
    ]
    return [[float(value) for value in row] for row in found]
