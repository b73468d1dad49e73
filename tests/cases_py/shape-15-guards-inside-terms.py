# /// case
# id = "shape-15-guards-inside-terms"
# kind = "dynamic-shape"
# expect = "fix"
# findings = [18, 19, 20, 21, 22, 29]
# tolerance = 1e-4
# grad = true
# oracle = "eager"
# ///
"""Logarithms, roots and quotients of what is computed of selections are defined elsewhere too, and so are their gradients."""

import jax
import jax.numpy as jnp


@jax.jit
def terms(p, q, seen):
    entropy = -(p[seen] * jnp.log(p[seen] + 1e-6)).sum()
    ratio = jnp.mean(jnp.log(p[seen] / q[seen]))
    length = jnp.sqrt((p[seen] - q[seen]) ** 2 + 0.1).sum()
    deep = jnp.sum(jnp.log(jnp.sqrt(q[seen]) - 0.5))
    soft = (1.0 / (q[seen] - 0.25)).max()
    return entropy + ratio + length + deep + soft


@jax.jit
def stored(p, q):
    seen = q > 0.0
    p = p.at[seen].set(jnp.log(q[seen] * 2.0) + p[seen])
    return p.sum()


def main():
    p = jnp.array([0.5, -2.0, 0.25, jnp.nan])
    q = jnp.array([0.75, 0.25, 1.0, 0.0])
    seen = jnp.array([True, False, True, False])
    both = jax.grad(lambda p, q: terms(p, q, seen), argnums=(0, 1))(p, q)
    r = jnp.array([0.5, -2.0, 0.25, 1.0])
    return [terms(p, q, seen), both, stored(r, q), jax.grad(stored, argnums=(0, 1))(r, q)]
