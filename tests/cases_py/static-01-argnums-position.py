# /// case
# id = "static-01-argnums-position"
# kind = "static-arg"
# expect = "fix"
# findings = [14, 15, 16]
# ///
"""Called by position and by keyword, and wrapped by a call: the axis has to be static."""

import jax
import jax.numpy as jnp


def collapse(x, axis, keep):
    y = jnp.sum(x, axis=axis)
    if keep:
        y = jnp.expand_dims(y, axis)
    return y


fast_collapse = jax.jit(collapse)


def main():
    x = jnp.arange(6.0).reshape(2, 3)
    return [
        fast_collapse(x, 0, True),
        fast_collapse(x, 1, keep=False),
        fast_collapse(x, axis=-1, keep=True),
    ]
