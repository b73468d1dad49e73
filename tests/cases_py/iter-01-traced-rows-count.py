# /// case
# id = "iter-01-traced-rows-count"
# kind = "traced-iter"
# expect = "fix"
# findings = [19]
# ///
"""`enumerate` over rows with a traced test inside; a best row is remembered."""

import jax
import jax.numpy as jnp


@jax.jit
def closest(points, target):
    best = jnp.float32(1e9)
    where = 0
    for i, point in enumerate(points):
        gap = jnp.sum((point - target) ** 2)
        if gap < best:
            best = gap
            where = i
    return where, best


def main():
    points = jnp.array([[0.0, 0.0], [1.0, 2.0], [3.0, 1.0]])
    return [closest(points, jnp.array(t)) for t in ([0.1, 0.0], [3.0, 3.0], [1.0, 2.0])]
