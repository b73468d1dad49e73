# /// case
# id = "global-03-bound-once-clean"
# kind = "global-capture"
# expect = "clean"
# findings = []
# ///
"""Globals that are assigned once, though in an odd place; a local of the same name is another variable."""

import jax
import jax.numpy as jnp

try:
    SCALE = float("2.5")
except ValueError:
    SCALE = 1.0

if SCALE > 2.0:
    OFFSET = 1.0
else:
    OFFSET = 0.0


@jax.jit
def affine(x):
    return x * SCALE + OFFSET


def summary(values):
    SCALE = 0.0
    for value in values:
        SCALE += float(value)
    return SCALE


def main():
    x = jnp.array([1.0, 2.0])
    first = affine(x)
    total = summary(first)
    return [first, total, affine(-x)]
