# /// case
# id = "global-10-partials-and-mappings"
# kind = "global-capture"
# expect = "fix"
# findings = [19]
# ///

import functools

import jax
import jax.numpy as jnp

# Set by `calibrate` from the last dark frame.
background = 0.0


def _counts(gain, frame, *, clip):
    """Counts per pixel, with the background in force taken off."""
    signal = (frame - background) * gain
    return jnp.clip(signal, 0.0, clip)


counts = jax.jit(functools.partial(_counts, 2.0, clip=50.0))
rows = jax.jit(jax.vmap(functools.partial(_counts, clip=5.0), in_axes=(0, 0)))


def calibrate(dark):
    global background
    background = float(dark.mean())


def main():
    calibrate(jnp.zeros(2))
    frame = jnp.array([1.0, 10.0, 40.0])
    out = [counts(frame), rows(jnp.array([1.0, 0.5, 0.1]), frame)]
    calibrate(jnp.array([4.0, 8.0]))
    out += [counts(frame), rows(jnp.array([1.0, 0.5, 0.1]), frame)]
    out.append(_counts(1.0, frame, clip=100.0))
    return out
