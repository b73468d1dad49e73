# /// case
# id = "impure-02-host-timing-clean"
# kind = "impure-call"
# expect = "clean"
# findings = []
# ///
"""Timing and seeding around compiled code, not in it."""

import random
import time

import jax
import jax.numpy as jnp


@jax.jit
def work(x):
    return jnp.sum(jnp.cos(x))


def main():
    rng = random.Random(0)
    started = time.perf_counter()
    value = work(jnp.array([rng.random() for _ in range(4)]))
    elapsed = time.perf_counter() - started
    return [value, elapsed >= 0.0]
