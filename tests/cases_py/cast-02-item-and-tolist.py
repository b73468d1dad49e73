# /// case
# id = "cast-02-item-and-tolist"
# kind = "concretize-cast"
# expect = "fix"
# findings = [15, 16]
# ///
"""`.item()` on traced scalars."""

import jax
import jax.numpy as jnp


@jax.jit
def rescale(x):
    top = x.max().item()
    span = (x.max() - x.min()).item() + 1.0
    return (x - top) / span


def main():
    return [rescale(jnp.array([1.0, 4.0, 2.0])), rescale(jnp.array([-1.0, -1.0]))]
