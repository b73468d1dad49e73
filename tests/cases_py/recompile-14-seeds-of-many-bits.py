# /// case
# id = "recompile-14-seeds-of-many-bits"
# kind = "recompile"
# expect = "report"
# findings = [36, 37, 38]
# ///
"""A static step goes into integers that need more than 32 bits: Python computes them, an array could not."""
import functools

import jax
import jax.numpy as jnp


@functools.partial(jax.jit, static_argnums=(1,))
def hashed(x, step):
    phase = (step * 1103515245 + 12345) % 4096
    return x + phase / 4096.0


@functools.partial(jax.jit, static_argnames=("level",))
def scaled(x, level):
    return x / (1 << level)


@functools.partial(jax.jit, static_argnames=("day",))
def aged(x, day):
    seconds = day * 86400
    return x + seconds * 1000 % 7.0


def main():
    hashed.clear_cache()
    x = jnp.float32(1.0)
    out = []
    for step in range(40):
        out.append(hashed(x, step))
        out.append(scaled(x, level=step))
        out.append(aged(x, day=step))
    return out
