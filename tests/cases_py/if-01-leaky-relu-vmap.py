# /// case
# id = "if-01-leaky-relu-vmap"
# kind = "traced-if"
# expect = "fix"
# findings = [17]
# oracle = "want"
# want = "[[-0.2, 0.0, 3.0], [2.0, 0.0, -1.5]]"
# ///
"""A scalar function written for one element is mapped over an array, then compiled."""

import jax
import jax.numpy as jnp


def activate(z, slope):
    out = z
    if z < 0.0:
        out = slope * z
    return out


def main():
    z = jnp.array([-2.0, 0.0, 3.0])
    mapped = jax.jit(jax.vmap(activate, in_axes=(0, None)))
    return [mapped(z, 0.1), mapped(-z, 0.5)]
