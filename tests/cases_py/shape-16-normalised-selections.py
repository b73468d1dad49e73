# /// case
# id = "shape-16-normalised-selections"
# kind = "dynamic-shape"
# expect = "fix"
# findings = [18, 27, 29]
# tolerance = 1e-4
# grad = true
# oracle = "eager"
# ///
"""Selections divided by their sum, in an unrolled loop, and in a choice."""

import jax
import jax.numpy as jnp


@jax.jit
def entropy(x, m):
    kept = x[m]
    share = kept / kept.sum()
    return -(share * jnp.log(share)).sum(), share.max()


@jax.jit
def in_loop(x, m, flag):
    total = 0.0
    for k in range(3):
        part = x[m] * k - 1.0
        total = total + part.sum()
    gap = x[m] + 1.0
    return jnp.where(flag, gap.sum(), gap.prod()) + total


def main():
    x = jnp.array([1.0, -2.0, 3.0])
    m = jnp.array([True, False, True])
    slope = jax.grad(lambda x: entropy(x, m)[0])(x)
    return [entropy(x, m), slope, in_loop(x, m, True), in_loop(x, ~m, False)]
