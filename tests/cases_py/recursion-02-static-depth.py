# /// case
# id = "recursion-02-static-depth"
# kind = "traced-if"
# expect = "fix"
# findings = [19, 31]
# ///
"""The depth and the length are known while tracing: both branches may recurse."""

import jax
import jax.numpy as jnp


@jax.jit
def refine(x, lo, hi):
    def go(lo, hi, depth):
        mid = 0.5 * (lo + hi)
        if depth == 0:
            return mid
        if x < mid:
            return go(lo, mid, depth - 1)
        return go(mid, hi, depth - 1)

    return go(lo, hi, 3)


@jax.jit
def tree_max(v):
    if v.shape[0] == 1:
        return v[0]
    first, second = tree_max(v[: v.shape[0] // 2]), tree_max(v[v.shape[0] // 2 :])
    return first if first > second else second


def main():
    found = [refine(jnp.float32(x), 0.0, 1.0) for x in (0.0, 0.3, 0.5, 0.99)]
    return found, [tree_max(jnp.array(v)) for v in ([1.0], [2.0, 5.0, 3.0], [4.0, -1.0])]
