# /// case
# id = "cross-01-two-levels"
# kind = "cross-function"
# expect = "fix"
# findings = [14]
# ///
"""The value is traced two calls deep; a third caller hands in a Python number, on the host."""

import jax
import jax.numpy as jnp


def saturate(v, cap):
    if v > cap:
        v = cap
    return v


def respond(v):
    return saturate(v * 2.0, 3.0) + 1.0


@jax.jit
def response(v):
    return respond(v)


def main():
    return [response(jnp.float32(v)) for v in (0.0, 1.5, 4.0)] + [saturate(5.0, 2.0)]
