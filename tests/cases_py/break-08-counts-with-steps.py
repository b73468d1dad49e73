# /// case
# id = "break-08-counts-with-steps"
# kind = "break-continue"
# expect = "fix"
# findings = [18, 28, 37]
# ///
"""itertools.count with a step, a float, a rebound counter, a return, and an inner loop."""
from itertools import count

import jax
import jax.numpy as jnp


@jax.jit
def a(x):
    total = 0
    for k in count(2, step=3):
        if x > 50.0:
            return x, k, total
        x = x + k
        k = k * 2
        total += k


@jax.jit
def b(x):
    for t in count(0.5, 0.25):
        if jnp.cos(t) < x:
            break
    return t


@jax.jit
def c(x):
    for _ in count():
        x = x * 1.5
        if x < 4.0:
            continue
        if x > 10.0:
            break
        x = x + 1.0
    return x


def main():
    return [a(jnp.float32(v)) for v in (0.0, 60.0)], [b(jnp.float32(v)) for v in (0.5, 2.0)], [c(jnp.float32(v)) for v in (0.5, 20.0)]
