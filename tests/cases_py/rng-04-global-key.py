# /// case
# id = "rng-04-global-key"
# kind = "rng"
# expect = "report"
# findings = [16]
# ///
"""numpy's global generator inside compiled code: one draw, made while tracing."""

import jax
import jax.numpy as jnp
import numpy as np


@jax.jit
def dropout(x):
    mask = np.random.rand(3) > 0.5
    return jnp.where(mask, x, 0.0)


def main():
    return [dropout(jnp.ones(3)).shape[0]]
