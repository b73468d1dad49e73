# /// case
# id = "iter-02-unpacking-clean"
# kind = "traced-iter"
# expect = "clean"
# findings = []
# ///
"""An array of known length is unpacked, and the leaves of a tree are looped over."""

import jax
import jax.numpy as jnp


@jax.jit
def volume(edges, tree):
    a, b, c = edges
    first, *rest = tree["points"]
    total = a * b * c + first
    for leaf in jax.tree.leaves(tree):
        total = total + jnp.sum(leaf)
    return total, len(rest)


def main():
    tree = {"points": (jnp.float32(1.0), jnp.float32(2.0)), "w": jnp.ones((2, 2))}
    return [volume(jnp.array([1.0, 2.0, 3.0]), tree)]
