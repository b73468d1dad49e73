# /// case
# id = "global-02-through-helper"
# kind = "global-capture"
# expect = "fix"
# findings = [16]
# ///
"""The stale global is read two calls deep, and rebound by augmented assignment."""

import jax
import jax.numpy as jnp

temperature = 1.0


def soften(logits):
    return logits / temperature


@jax.jit
def probabilities(logits):
    return jax.nn.softmax(soften(logits))


def main():
    global temperature
    temperature = 1.0
    logits = jnp.array([0.0, 1.0, 3.0])
    results = []
    for _ in range(3):
        results.append(probabilities(logits))
        temperature *= 2.0
    return results
