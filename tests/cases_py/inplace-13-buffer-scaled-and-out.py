# /// case
# id = "inplace-13-buffer-scaled-and-out"
# kind = "inplace-update"
# expect = "fix"
# findings = [18, 20, 28]
# ///
"""A numpy buffer filled in a loop inside a compiled function."""

import jax
import jax.numpy as jnp
import numpy as np


@jax.jit
def ar_filter(x, coef):
    n = x.shape[0]
    y = np.zeros(n)
    y[0] = x[0]
    for t in range(1, n):
        y[t] = coef * y[t - 1] + x[t]
    y *= 0.5
    return y


@jax.jit
def blend(a, b):
    out = np.empty_like(a)
    np.multiply(a, 0.25, out=out)
    out += 0.75 * b
    return out


def main():
    x = jnp.array([1.0, 0.0, 2.0, -1.0])
    return [ar_filter(x, 0.5), ar_filter(x, -0.9), blend(x, 2 * x), blend(x * x, -x)]
