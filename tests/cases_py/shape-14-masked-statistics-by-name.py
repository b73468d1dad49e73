# /// case
# id = "shape-14-masked-statistics-by-name"
# kind = "dynamic-shape"
# expect = "fix"
# findings = [18, 21]
# tolerance = 1e-4
# oracle = "eager"
# ///
"""Two selections with names, in sums, quotients and norms."""

import jax
import jax.numpy as jnp


@jax.jit
def robust(x, weights, lo, hi):
    inside = (x > lo) & (x < hi)
    kept = x[inside]
    mean = kept.mean()
    sq = ((kept - mean) ** 2).sum() / kept.size
    w = weights[inside]
    total = jnp.sum(w * kept)
    count = inside.sum()
    return mean, sq, total, count, jnp.linalg.norm(kept), (jnp.exp(kept) / w).max()


def main():
    x = jnp.array([0.5, -3.0, 1.5, 2.0])
    w = jnp.array([1.0, 0.0, 2.0, 4.0])
    return [robust(x, w, -1.0, 3.0), robust(x, w, 0.0, 1.8)]
