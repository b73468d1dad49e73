# /// case
# id = "numpy-01-linalg-and-ufuncs"
# kind = "numpy-call"
# expect = "fix"
# findings = [17, 18]
# ///
"""numpy functions applied to traced arrays, under the usual alias."""

import jax
import jax.numpy as jnp
import numpy as np


@jax.jit
def whiten(x):
    centred = x - np.mean(x, axis=0)
    spread = np.sqrt(np.sum(centred**2, axis=0))
    return np.concatenate([centred / spread, np.ones((1, 2))])


def main():
    return [whiten(jnp.array([[1.0, 2.0], [3.0, 8.0]])), whiten(jnp.array([[0.0, 1.0], [5.0, -1.0]]))]
