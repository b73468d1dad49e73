# /// case
# id = "slice-05-window-store"
# kind = "dynamic-shape"
# expect = "fix"
# findings = [18, 19, 21]
# oracle = "eager"
# ///

import jax
import jax.numpy as jnp

WIDTH = 2


@jax.jit
def splice(buffer, start, values):
    """Copy the window out, then write `values` over it."""
    old = buffer[start : start + WIDTH]
    buffer = buffer.at[start : start + WIDTH].set(values)
    rows = buffer.reshape(-1, 2)
    picked = rows[start // 2 : start // 2 + 1, :]
    return buffer, old, picked


def main():
    buffer = jnp.arange(6.0)
    values = jnp.array([-1.0, -2.0])
    return [splice(buffer, s, values) for s in (0, 1, 4)]
