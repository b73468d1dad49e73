# /// case
# id = "closure-03-nonlocal-counter-clean"
# kind = "closure-capture"
# expect = "clean"
# findings = []
# ///
"""`nonlocal` within one trace, and a rebinding before the first call, are both harmless."""

import jax
import jax.numpy as jnp


@jax.jit
def layered(x):
    depth = 0

    def layer(v):
        nonlocal depth
        depth += 1
        return v * depth

    return layer(layer(x))


def main():
    scale = 1.0
    scale = scale * 3.0

    @jax.jit
    def apply(v):
        return v * scale

    return [layered(jnp.float32(2.0)), apply(jnp.float32(1.0))]
