# /// case
# id = "rng-01-split-in-traced-branch"
# kind = "rng"
# expect = "fix"
# findings = [15]
# ///
"""A key is split and used in a branch; afterwards the old or the new key goes on."""

import jax
import jax.numpy as jnp


@jax.jit
def maybe_noise(key, x, level):
    if level > 0.0:
        key, sub = jax.random.split(key)
        x = x + level * jax.random.normal(sub, x.shape)
    return x, jax.random.uniform(key)


def main():
    x = jnp.zeros(3)
    return [maybe_noise(jax.random.key(3), x, jnp.float32(v)) for v in (0.0, 0.5, -1.0)]
