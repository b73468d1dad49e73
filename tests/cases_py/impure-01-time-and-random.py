# /// case
# id = "impure-01-time-and-random"
# kind = "impure-call"
# expect = "report"
# findings = [18, 19]
# ///
"""Clock and random numbers of the standard library are read once, while tracing."""

import random
import time

import jax
import jax.numpy as jnp


@jax.jit
def jitter(x):
    noise = random.random()
    stamp = time.time()
    return x + 0.0 * noise, 0.0 * stamp


def main():
    return [jitter(jnp.float32(1.0))]
