# /// case
# id = "shape-22-distinct-counted"
# kind = "dynamic-shape"
# expect = "fix"
# findings = [15, 16, 17]
# oracle = "eager"
# ///

import jax
import jax.numpy as jnp


@jax.jit
def diversity(labels, scores):
    kinds = len(jnp.unique(labels))
    zeros = jnp.nonzero(scores == 0)[0].size
    pairs = jnp.argwhere(labels[:, None] == labels[None, :]).shape[0]
    return kinds / labels.size, zeros, pairs - labels.size


def main():
    scores = jnp.array([0.0, 1.0, 0.0, 2.0, -1.0])
    return [
        diversity(jnp.array([3, 1, 3, 3, 0]), scores),
        diversity(jnp.array([7, 7, 7, 7, 7]), scores + 1.0),
        diversity(jnp.array([-1, 4, 2, 0, 9]), 0.0 * scores),
    ]
