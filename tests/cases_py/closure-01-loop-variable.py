# /// case
# id = "closure-01-loop-variable"
# kind = "closure-capture"
# expect = "fix"
# findings = [19]
# ///
"""One compiled function, defined before a loop whose variable it reads."""

import jax
import jax.numpy as jnp


def main():
    x = jnp.array([1.0, 2.0])
    weight = 0.0

    @jax.jit
    def apply(v):
        return v * weight + 1.0

    results = []
    for weight in (1.0, 2.0, 4.0):
        results.append(apply(x))
    return results
