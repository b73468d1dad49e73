# /// case
# id = "numpy-04-storing-functions"
# kind = "inplace-update"
# expect = "fix"
# findings = [19, 26, 34, 35, 42]
# ///
"""`np.add.at` and its kin store into an array that is traced by then."""

import functools

import jax
import jax.numpy as jnp
import numpy as np


@jax.jit
def histogram(ids, weights):
    counts = np.zeros(6)
    np.add.at(counts, ids, weights)
    return counts / counts.sum()


@jax.jit
def damped(matrix, eps):
    out = matrix * 2.0
    np.fill_diagonal(out, eps)
    return out


@jax.jit
def extremes(x, rows, columns):
    low = np.full((3, 4), 9.0, np.float32)
    high = np.full(3, -9.0, np.float32)
    np.minimum.at(low, (rows, columns), x)
    np.maximum.at(high, [0, 2, 0, 1], x)
    return low, high


@functools.partial(jax.jit, static_argnames="n")
def spread(value, n):
    out = np.zeros((2, n), np.float32)
    np.copyto(out, value)
    return out


def table(n):
    counts = np.zeros(n)
    np.add.at(counts, [0, 1, 1], 1.0)
    return counts


def main():
    ids = jnp.array([0, 2, 2, 5])
    x = np.array([0.5, 1.5, 2.0, -3.0], np.float32)
    low, high = extremes(x, jnp.array([0, 2, 0, 0]), jnp.array([1, 1, 1, 3]))
    return (
        np.asarray(histogram(ids, x)).tolist(),
        np.asarray(damped(np.ones((3, 3), np.float32), 0.25)).tolist(),
        np.asarray(low).tolist(),
        np.asarray(high).tolist(),
        np.asarray(spread(x, 4)).tolist(),
        table(3).tolist(),
    )
