# /// case
# id = "numpy-07-ufunc-methods"
# kind = "numpy-call"
# expect = "fix"
# findings = [15, 16, 17]
# ///
"""reduce, accumulate and outer of numpy's ufuncs on traced arrays."""
import jax
import jax.numpy as jnp
import numpy as np


@jax.jit
def envelope(x):
    total = np.add.reduce(x, axis=0)
    running = np.maximum.accumulate(x, axis=0)
    table = np.subtract.outer(total, total)
    rows = np.multiply.reduce(x.shape)
    return total, running, table, rows


def main():
    return [envelope(jnp.array(v, jnp.float32)) for v in ([[1.0, 5.0], [2.0, 3.0], [0.0, 9.0]], [[-1.0, 0.5]])]
