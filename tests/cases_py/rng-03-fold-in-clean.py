# /// case
# id = "rng-03-fold-in-clean"
# kind = "rng"
# expect = "clean"
# findings = []
# ///
"""One key a step by `fold_in`, and split into as many as are used."""

import jax
import jax.numpy as jnp


@jax.jit
def noisy_steps(key, x):
    for i in range(3):
        x = x + jax.random.normal(jax.random.fold_in(key, i))
    first, second = jax.random.split(key)
    return x + jax.random.uniform(first), jax.random.bernoulli(second)


def main():
    return [noisy_steps(jax.random.key(s), jnp.float32(0.0)) for s in (0, 1)]
