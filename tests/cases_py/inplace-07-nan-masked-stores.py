# /// case
# id = "inplace-07-nan-masked-stores"
# kind = "inplace-update"
# expect = "fix"
# findings = [19, 20, 27, 28]
# grad = true
# oracle = "eager"
# ///
"""Stores by a mask that leaves NaN out, and their gradients."""

import jax
import jax.numpy as jnp


@jax.jit
def filled(pred, target):
    known = ~jnp.isnan(target)
    loss = jnp.zeros_like(pred)
    loss = loss.at[known].set((pred[known] - target[known]) ** 2)
    scaled = pred.at[known].multiply(target[known])
    return loss.sum() + scaled.sum()


@jax.jit
def ratio(x, y):
    kept = jnp.isfinite(y)
    spread = jnp.var(x[kept] * y[kept])
    return spread + (3.0 * y[kept] - x[kept]).sum() + jnp.max(jnp.abs(y[kept]))


def main():
    p = jnp.array([0.5, 1.0, 2.0])
    t = jnp.array([1.0, jnp.nan, 4.0])
    return [filled(p, t), jax.grad(filled)(p, t), ratio(p, t), jax.grad(ratio)(p, t)]
