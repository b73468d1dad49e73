# /// case
# id = "inplace-14-buffers-given-to-helpers"
# kind = "inplace-update"
# expect = "fix"
# findings = [15, 20, 43, 45]
# ///
"""Helpers fill buffers of NumPy: one returns what it filled, one does not."""

import jax
import jax.numpy as jnp
import numpy as np


def put(buf, i, value):
    buf[i] = value
    return buf


def fill(buf, value):
    buf[:] = value


@jax.jit
def multiples(x):
    buf = np.zeros(3)
    for i in range(3):
        buf = put(buf, i, x * i)
    return buf


@jax.jit
def filled(x):
    short = np.zeros(2)
    fill(short, x)
    rows = np.ones((2, 3))
    fill(rows, x + 1)
    return short, rows


@jax.jit
def shifted(x):
    y = np.zeros(3)
    y[:] = x
    y = y + 1
    y[0] = 9.0
    return y


def main():
    x = jnp.array([1.0, -2.0, 3.0])
    return [multiples(2.0), multiples(-1.0), filled(2.0), shifted(x)]
