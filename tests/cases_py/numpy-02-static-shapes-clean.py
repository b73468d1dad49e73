# /// case
# id = "numpy-02-static-shapes-clean"
# kind = "numpy-call"
# expect = "clean"
# findings = []
# ///
"""numpy on shapes and constants runs while tracing, which is right and costs nothing."""

import jax
import jax.numpy as jnp
import numpy as np

TABLE = np.linspace(0.0, 1.0, 4)


@jax.jit
def embed(x):
    size = int(np.prod(x.shape))
    angles = np.arange(size) / np.maximum(size, 1)
    mask = np.tril(np.ones((size, size), dtype=bool))
    y = x.reshape(size) * np.cos(angles)
    return jnp.where(mask, y[:, None], -np.inf), jnp.interp(y, TABLE, TABLE**2)


def main():
    return [embed(jnp.ones((2, 2))), embed(jnp.array([0.25, -0.5]))]
