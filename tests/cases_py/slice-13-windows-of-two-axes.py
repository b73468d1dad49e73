# /// case
# id = "slice-13-windows-of-two-axes"
# kind = "inplace-update"
# expect = "fix"
# findings = [18, 24, 30, 36]
# oracle = "want"
# want = "[[[0.0, 1.0, 1.0, 1.0, 0.0], [0.0, 1.0, 1.0, 1.0, 0.0], [0.0, 0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0, 0.0]], [[0.0, 0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 1.0, 1.0, 1.0], [0.0, 0.0, 1.0, 1.0, 1.0]], [[0.0, 0.0, 0.0, 0.0, 0.0], [0.0, 1.0, 2.0, 0.0, 0.0], [0.0, 3.0, 4.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0, 0.0]], [[0.0, 0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, -1.0, -2.0], [0.0, 0.0, 0.0, -3.0, -4.0]], [[0.0, 0.0, -0.0, 0.0, 0.0], [0.0, 1.0, -1.0, 0.0, 0.0], [0.0, 2.0, -2.0, 0.0, 0.0], [0.0, 3.0, -3.0, 0.0, 0.0]], [[[0.0, 0.0], [0.0, 0.0]], [[0.0, -0.5], [0.0, -0.5]], [[0.0, -0.5], [0.0, -0.5]]]]"
# ///
"""A window of two axes is a block, not its diagonal; an axis that is taken whole stays
where it was."""

import jax
import jax.numpy as jnp


@jax.jit
def raised(x, i, j):
    x[i : i + 2, j : j + 3] += 1.0
    return x


@jax.jit
def stamped(x, i, j, stamp):
    x[i : i + 2, j : j + 2] = stamp
    return x


@jax.jit
def columns(x, j):
    x[:, j : j + 2] = jnp.arange(4.0)[:, None] * jnp.array([1.0, -1.0])
    return x


@jax.jit
def planes(x, i, k):
    x[i : i + 2, :, k : k + 1] -= 0.5
    return x


def main():
    x = jnp.zeros((4, 5))
    stamp = jnp.array([[1.0, 2.0], [3.0, 4.0]])
    out = [raised(x, 0, 1), raised(x, 2, 2), stamped(x, 1, 1, stamp)]
    out += [stamped(x, 2, 3, -stamp), columns(x, 1)]
    return [*out, planes(jnp.zeros((3, 2, 2)), 1, 1)]
