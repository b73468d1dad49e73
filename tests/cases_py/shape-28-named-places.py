# /// case
# id = "shape-28-named-places"
# kind = "dynamic-shape"
# expect = "fix"
# findings = [15, 23]
# ///
"""Index arrays of data-dependent length, reduced at once."""

import jax
import jax.numpy as jnp


@jax.jit
def active_stats(scores, values, threshold):
    idx = jnp.nonzero(scores > threshold)[0]
    n = idx.shape[0]
    total = values[idx].sum()
    return total, total / max(n, 1), n


@jax.jit
def first_hit(x):
    hits = jnp.where(x > 2.0)[0]
    return len(hits), jnp.sum(x[hits] ** 2)


def main():
    scores = jnp.array([0.1, 0.9, 0.4, 0.7])
    values = jnp.array([10.0, 20.0, 30.0, 40.0])
    return [
        active_stats(scores, values, 0.3),
        active_stats(scores, values, 5.0),
        first_hit(jnp.array([1.0, 3.0, 5.0])),
        first_hit(jnp.array([0.0, 0.0, 0.0])),
    ]
