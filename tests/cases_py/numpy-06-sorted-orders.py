# /// case
# id = "numpy-06-sorted-orders"
# kind = "numpy-call"
# expect = "fix"
# findings = [20, 25, 26, 27]
# tolerance = 1e-4
# oracle = "eager"
# ///
"""NumPy's `argsort` traces, and then does not lower."""

import jax
import jax.numpy as jnp
import numpy as np

EDGES = np.array([0.0, 1.0, 3.0], dtype=np.float32)
GAINS = np.array([1.0, 0.5, 0.1], dtype=np.float32)


def compress(level):
    return np.interp(level, EDGES, GAINS)


@jax.jit
def shaped(wave):
    level = np.abs(wave)
    gain = np.where(level > 0.25, compress(level), 1.0)
    return np.clip(wave * gain, -1.0, np.float32(1.0)), np.argsort(level)


def main():
    return [shaped(jnp.array([0.1, -2.0, 5.0])), shaped(jnp.array([0.0, 0.5, -0.25]))]
