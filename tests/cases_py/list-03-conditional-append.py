# /// case
# id = "list-03-conditional-append"
# kind = "accumulate-list"
# expect = "report"
# findings = [17]
# ///
"""What is kept depends on the values, so the length of the result does."""

import jax
import jax.numpy as jnp


@jax.jit
def peaks(signal):
    kept = []
    for i in range(1, 4):
        if signal[i] > signal[i - 1]:
            kept.append(signal[i])
    return kept


def main():
    return [peaks(jnp.array([0.0, 1.0, 0.5, 2.0])), peaks(jnp.zeros(4))]
