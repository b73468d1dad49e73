# /// case
# id = "shape-25-axis-beside-the-mask"
# kind = "dynamic-shape"
# expect = "report"
# findings = [15, 16]
# ///

import jax
import jax.numpy as jnp


@jax.jit
def report(table, floor):
    rows = table[:, 0] > floor
    sums = table[rows].mean(axis=1)
    best = table[rows].max(axis=-1).sum()
    return sums, best


def main():
    return [report(jnp.array([[1.0, 2.0], [-1.0, 4.0], [3.0, 3.0]]), 0.0)]
