# /// case
# id = "global-11-bound-before-mapping"
# kind = "global-capture"
# expect = "fix"
# findings = [19, 23]
# ///

import functools

import jax
import jax.numpy as jnp

# The counts of an empty frame, and the lowest that is kept.
background = 0.0
lowest = 0.0


def signal(gain, frame):
    return (frame - background) * gain


def kept(frame, highest):
    return jnp.clip(frame, lowest, highest)


rows = jax.jit(jax.vmap(functools.partial(signal, 2.0)))
cut = jax.jit(functools.partial(kept, highest=20.0))


def main():
    global background, lowest
    frame = jnp.array([1.0, 10.0, 40.0])
    out = []
    for background in (0.0, 6.0):
        lowest = 0.5 * background
        out += [rows(frame), cut(frame)]
    return out
