# /// case
# id = "inplace-08-stencil-with-borders"
# kind = "inplace-update"
# expect = "fix"
# findings = [21, 22, 23, 24, 25]
# oracle = "want"
# want = "[[[0.5, 1.0, 1.0, 1.0], [0.0, 0.25, 0.25, 0.0], [0.0, 0.0, 0.0, 0.0], [-0.0, -2.0, -2.0, -2.0]], 1.0]"
# ///
"""Stores by slices, rows and elements; an element read before them is a number, no view."""

import jax
import jax.numpy as jnp

TOP, BOTTOM = 0, -1


@jax.jit
def heat_step(plate, edge):
    inner = 0.25 * (plate[:-2, 1:-1] + plate[2:, 1:-1] + plate[1:-1, :-2] + plate[1:-1, 2:])
    before = plate[0, 1]
    plate[1:-1, 1:-1] = inner
    plate[TOP] = edge
    plate[BOTTOM, ...] = -2.0 * plate[TOP]
    plate[::3, 0] *= 0.5
    plate[BOTTOM, 0] -= plate[BOTTOM, 0]
    return plate, before


def main():
    plate = jnp.zeros((4, 4)).at[0].set(1.0)
    return list(heat_step(plate, 1.0))
