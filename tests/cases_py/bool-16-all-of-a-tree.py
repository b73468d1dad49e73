# /// case
# id = "bool-16-all-of-a-tree"
# kind = "traced-bool-op"
# expect = "fix"
# findings = [15, 19, 25, 26, 37, 38]
# ///
"""`jax.tree.all` asks each leaf for its truth; a reduction over a tree runs its function on the leaves."""
import functools

import jax
import jax.numpy as jnp


def finite(tree):
    return jax.tree.reduce(lambda a, b: a and b, jax.tree.map(lambda x: jnp.isfinite(x).all(), tree), True)


def close(tree, other):
    return jax.tree.all(jax.tree.map(jnp.allclose, tree, other))


@jax.jit
def step(params, grads, target):
    skipped = 0
    if finite(grads):
        if close(params, target):
            return params, skipped
        params = jax.tree.map(lambda p, g: p - 0.5 * g, params, grads)
    else:
        skipped += 1
    if jax.tree.all(jax.tree.map(lambda x: x.ndim < 2, params)):
        skipped -= 10
    return params, skipped


@jax.jit
def extremes(xs, tree):
    low = functools.reduce(min, xs, 9.0)
    top = jax.tree.reduce(max, jax.tree.map(jnp.max, tree))
    return low, top


def main():
    params = {"w": jnp.array([1.0, 2.0]), "b": jnp.float32(0.0)}
    grads = {"w": jnp.array([1.0, -1.0]), "b": jnp.float32(2.0)}
    bad = {"w": jnp.array([1.0, jnp.nan]), "b": jnp.float32(2.0)}
    return [step(params, g, t) for g in (grads, bad) for t in (params, grads)] + [
        extremes(params["w"], grads)
    ]
