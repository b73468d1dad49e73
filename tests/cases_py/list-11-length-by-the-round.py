# /// case
# id = "list-11-length-by-the-round"
# kind = "break-continue"
# expect = "report"
# findings = [25]
# ///
"""A row is one longer in each round, so what an early exit leaves is not of one length."""

from functools import partial

import jax
import jax.numpy as jnp


@partial(jax.jit, static_argnames=("order",))
def extrapolated(values, tolerance, order=4):
    table = [values[0]]
    error = jnp.inf
    for k in range(1, order):
        row = [values[k]]
        for j in range(1, k + 1):
            row.append(row[j - 1] + (row[j - 1] - table[j - 1]) / (4**j - 1))
        error = abs(row[-1] - table[-1])
        table = row
        if error < tolerance:
            break
    return table[-1], error


def main():
    values = jnp.array([1.0, 1.2, 1.25, 1.2625])
    return [extrapolated(values, t) for t in (0.0, 0.05, 10.0)]
