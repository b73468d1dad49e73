# /// case
# id = "inplace-09-methods-that-change"
# kind = "inplace-update"
# expect = "report"
# findings = [15, 24]
# ///
"""NumPy sorts and fills in place; while JAX traces, sort() gives a new array that nobody takes, and fill fails. Lists may sort themselves."""
import jax
import jax.numpy as jnp
import numpy as np


@jax.jit
def median(y):
    y.sort()
    names = ["b", "a"]
    names.sort()
    return y[y.shape[0] // 2], len(names[0])


@jax.jit
def shifted(x):
    out = x * 2.0
    out.fill(1.0)
    return out + x


def main():
    return median(np.array([3.0, 1.0, 2.0], np.float32)), median(np.array([5.0, 4.0, 9.0], np.float32))
