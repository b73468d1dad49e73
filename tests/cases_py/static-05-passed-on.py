# /// case
# id = "static-05-passed-on"
# kind = "static-arg"
# expect = "fix"
# findings = [23]
# oracle = "eager"
# ///

import functools

import jax
import jax.numpy as jnp


@functools.partial(jax.jit, static_argnums=(1,))
def windows(x, width):
    count = x.shape[0] - width + 1
    return jnp.stack([x[i : i + width] for i in range(count)])


@jax.jit
def moving_range(x, width, gain):
    rows = windows(x, width)
    return gain * (rows.max(axis=1) - rows.min(axis=1))


def main():
    x = jnp.array([1.0, 4.0, 2.0, -1.0, 0.5])
    return [moving_range(x, 2, 1.0), moving_range(x, width=3, gain=2.0), moving_range(x, 5, -1.0)]
