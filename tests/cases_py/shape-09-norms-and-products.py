# /// case
# id = "shape-09-norms-and-products"
# kind = "dynamic-shape"
# expect = "fix"
# findings = [19, 20, 21, 22, 23]
# tolerance = 1e-4
# grad = true
# oracle = "eager"
# ///
"""Norms and products of what a mask picks, with their gradients."""

import jax
import jax.numpy as jnp


@jax.jit
def summary(x, weights, low):
    kept = x > low
    length = jnp.linalg.norm(x[kept])
    energy = jax.nn.logsumexp(x[kept] * 2.0)
    work = weights[kept] @ x[kept]
    cross = jnp.dot(jnp.abs(x[kept]), weights[kept] - 1.0)
    return length, energy, work, cross, jnp.nanmean(weights[kept])


def main():
    x = jnp.array([0.5, -3.0, 1.5, 2.0])
    w = jnp.array([1.0, jnp.nan, 2.0, 4.0])
    slopes = jax.grad(lambda x, w: sum(summary(x, w, -1.0)), argnums=(0, 1))(x, w)
    return [summary(x, w, -1.0), summary(x, w, 1.0), slopes]
