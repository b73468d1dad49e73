# /// case
# id = "cross-03-host-only-clean"
# kind = "cross-function"
# expect = "clean"
# findings = []
# ///
"""The helper branches on values, but only the host calls it."""

import jax
import jax.numpy as jnp


def describe(value):
    if value > 0.5:
        return 1
    return 0


@jax.jit
def score(x):
    return jnp.mean(x)


def main():
    results = [score(jnp.array(v)) for v in ([0.0, 0.5], [1.0, 1.0])]
    return [[r, describe(r)] for r in results]
