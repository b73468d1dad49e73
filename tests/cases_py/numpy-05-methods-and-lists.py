# /// case
# id = "numpy-05-methods-and-lists"
# kind = "numpy-call"
# expect = "fix"
# findings = [18, 19, 20, 21, 22, 23, 24, 25]
# tolerance = 1e-4
# oracle = "eager"
# ///
"""Functions of NumPy that call a method of a tracer stay; the others, and lists of indices, do not."""

import jax
import jax.numpy as jnp
import numpy as np


@jax.jit
def stats(x):
    a = np.sort(x)
    b = np.cumsum(x, axis=0)
    c = np.argmax(x), np.std(x), np.ptp(x)
    d = np.take(x, [0, 1]), np.round(x, 1), np.squeeze(x[None])
    e = np.transpose(x[:, None]), np.reshape(x, (1, -1)), np.ravel(x), np.repeat(x, 2)
    f = np.dot(x, x), np.any(x > 0), np.all(x > 0), np.diagonal(jnp.outer(x, x))
    g = np.searchsorted(jnp.sort(x), 0.5), np.nonzero(np.eye(2))[0].shape
    h = np.mean(x), np.var(x), np.swapaxes(x[None], 0, 1), np.prod(x), np.trace(jnp.outer(x, x))
    return a, b, c, d, e, f, g, h


def main():
    return [stats(jnp.array([1.0, -2.0, 0.26]))]
