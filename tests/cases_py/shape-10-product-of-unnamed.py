# /// case
# id = "shape-10-product-of-unnamed"
# kind = "dynamic-shape"
# expect = "fix"
# findings = [18, 20, 21]
# grad = true
# oracle = "eager"
# ///
"""A product of two selections, one of an array without a name."""

import jax
import jax.numpy as jnp


@jax.jit
def summary(rows, targets, weights, cutoff):
    valid = ~jnp.isnan(targets)
    loss = jnp.dot(weights[valid], (rows.sum(axis=1) - targets)[valid] ** 2)
    heavy = weights > cutoff
    centre = rows[heavy].mean(axis=0)
    return loss / valid.sum(), centre, jnp.max(rows[:, 0][valid])


def main():
    rows = jnp.array([[1.0, 2.0], [0.0, -1.0], [3.0, 0.5]])
    targets = jnp.array([2.5, jnp.nan, 4.0])
    weights = jnp.array([1.0, 5.0, 2.0])
    slope = jax.grad(lambda w: summary(rows, targets, w, 1.5)[0])(weights)
    return [summary(rows, targets, weights, 1.5), summary(-rows, targets, weights, 0.0), slope]
