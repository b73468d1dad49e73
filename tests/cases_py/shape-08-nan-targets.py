# /// case
# id = "shape-08-nan-targets"
# kind = "dynamic-shape"
# expect = "fix"
# findings = [19, 25]
# grad = true
# oracle = "eager"
# ///
"""What the mask leaves out is NaN, and must not reach a gradient."""

import jax
import jax.numpy as jnp


@jax.jit
def loss(w, x, targets):
    pred = x * w
    valid = ~jnp.isnan(targets)
    return jnp.mean((pred[valid] - targets[valid]) ** 2)


@jax.jit
def weighted(w, targets):
    seen = jnp.isfinite(targets)
    return jnp.sum(w[seen] * targets[seen])


def main():
    x = jnp.array([1.0, 2.0, 3.0])
    t = jnp.array([1.0, jnp.nan, 2.0])
    w = jnp.array([0.5, 1.0, 2.0])
    return [loss(0.5, x, t), jax.grad(loss)(0.5, x, t), jax.grad(weighted)(w, t), weighted(w, t)]
