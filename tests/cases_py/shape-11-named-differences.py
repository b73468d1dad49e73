# /// case
# id = "shape-11-named-differences"
# kind = "dynamic-shape"
# expect = "fix"
# findings = [18]
# grad = true
# oracle = "eager"
# ///
"""A name for what is computed of two selections, and its reductions."""

import jax
import jax.numpy as jnp


@jax.jit
def errors(pred, target):
    valid = ~jnp.isnan(target)
    gap = pred[valid] - target[valid]
    size = jnp.abs(gap)
    return (gap**2).mean(), size.max(), jnp.sum(size), gap.shape[0], len(size)


def main():
    p = jnp.array([0.5, 1.0, 2.0])
    t = jnp.array([1.0, jnp.nan, 4.0])
    return [errors(p, t), jax.grad(lambda p: errors(p, t)[0])(p)]
