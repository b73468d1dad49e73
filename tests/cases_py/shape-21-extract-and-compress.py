# /// case
# id = "shape-21-extract-and-compress"
# kind = "dynamic-shape"
# expect = "fix"
# findings = [15, 16, 17, 18, 19]
# ///

import jax
import jax.numpy as jnp


@jax.jit
def summary(x, weights, level):
    keep = x > level
    heavy = jnp.compress(keep, weights).sum()
    top = jnp.extract(keep, x).max()
    first = jnp.argwhere(keep)[0, 0]
    count = jnp.flatnonzero(keep).size
    spread = (x[keep] - x[keep].mean()).std()
    return heavy, top, first, count, spread


def main():
    x = jnp.array([0.5, 3.0, -1.0, 2.0])
    weights = jnp.array([1.0, 10.0, 100.0, 1000.0])
    return [summary(x, weights, level) for level in (0.0, 1.0, 2.5, -5.0)]
