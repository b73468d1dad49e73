# /// case
# id = "shape-01-masked-count-and-mean"
# kind = "dynamic-shape"
# expect = "fix"
# findings = [16, 18]
# ///
"""A boolean mask, used only through reductions over what it selects."""

import jax
import jax.numpy as jnp


@jax.jit
def robust_mean(x, limit):
    good = jnp.abs(x) < limit
    mean = jnp.mean(x[good])
    count = jnp.sum(good)
    smallest = x[good].min()
    return mean, count, smallest


def main():
    x = jnp.array([1.0, -2.0, 30.0, 4.0])
    return [robust_mean(x, 5.0), robust_mean(x, 100.0), robust_mean(x, 1.5)]
