# /// case
# id = "shape-13-named-and-sorted"
# kind = "dynamic-shape"
# expect = "report"
# findings = [15]
# ///
"""The difference is reduced, and sorted too: it stays."""

import jax
import jax.numpy as jnp


@jax.jit
def residuals(pred, target, mask):
    gap = pred[mask] - target[mask]
    return (gap**2).mean(), jnp.sort(gap)


def main():
    p = jnp.array([0.5, 1.0, 2.0])
    return [residuals(p, p * 2.0, jnp.array([True, False, True]))]
