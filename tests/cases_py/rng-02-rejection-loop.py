# /// case
# id = "rng-02-rejection-loop"
# kind = "rng"
# expect = "fix"
# findings = [16]
# ///
"""Draw until accepted: the key is carried through a loop with a data-dependent end."""

import jax
import jax.numpy as jnp


@jax.jit
def truncated(key, bound):
    draw = jnp.float32(jnp.inf)
    while jnp.abs(draw) > bound:
        key, sub = jax.random.split(key)
        draw = jax.random.normal(sub)
    return draw


def main():
    return [truncated(jax.random.key(s), jnp.float32(b)) for s, b in ((0, 1.0), (1, 0.3), (2, 0.5))]
