# /// case
# id = "bool-03-any-sorted-max-key"
# kind = "traced-bool-op"
# expect = "fix"
# findings = [15, 16]
# ///
"""Builtins that compare: `max`, `min`, `abs` and `sum` of a generator."""

import jax
import jax.numpy as jnp


@jax.jit
def bounds(a, b, c):
    top = max(a, b, c)
    low = min(0.0, a)
    size = sum(abs(v) for v in (a, b, c))
    return top, low, size


def main():
    triples = ((1.0, 2.0, 3.0), (-1.0, -1.0, -4.0), (5.0, 0.0, 5.0))
    return [bounds(*map(jnp.float32, t)) for t in triples]
