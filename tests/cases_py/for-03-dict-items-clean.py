# /// case
# id = "for-03-dict-items-clean"
# kind = "traced-for"
# expect = "clean"
# findings = []
# ///
"""Loops over the structure of a pytree: keys, zip, enumerate and a static range."""

import jax
import jax.numpy as jnp


@jax.jit
def ema(average, params, decay):
    out = {}
    for name, value in params.items():
        out[name] = decay * average[name] + (1.0 - decay) * value
    for level, name in enumerate(sorted(out)):
        out[name] = out[name] + 0.1 * level
    for a, b in zip(("w", "b"), (2.0, 3.0)):
        out[a] = out[a] * b
    return out


def main():
    params = {"w": jnp.arange(3.0), "b": jnp.float32(2.0)}
    average = {"w": jnp.ones(3), "b": jnp.float32(0.0)}
    return [ema(average, params, 0.5), ema(params, average, jnp.float32(0.9))]
