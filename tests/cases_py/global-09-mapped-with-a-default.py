# /// case
# id = "global-09-mapped-with-a-default"
# kind = "global-capture"
# expect = "fix"
# findings = [19]
# grad = true
# oracle = "want"
# want = "[[[0.25, 1.0], [[1.0, 4.0], [0.5, 1.0]]], 1.25, [[1.0, 4.0], [[4.0, 16.0], [2.0, 4.0]]], 5.0, 20.0]"
# ///
"""A mapped function takes no keywords: the new parameter goes before the default, which no call passes."""

import jax
import jax.numpy as jnp

scale = 1.0


def loss(w, x, y=0.0):
    return scale * (w * x - y) ** 2


batched = jax.jit(jax.vmap(jax.value_and_grad(loss, argnums=(0, 1)), in_axes=(None, 0)))
summed = jax.jit(lambda w, xs: jax.vmap(loss, (None, 0))(w, xs).sum())


def main():
    global scale
    scale = 1.0
    xs = jnp.array([1.0, 2.0])
    out = [batched(0.5, xs), summed(0.5, xs)]
    scale = 4.0
    return out + [batched(0.5, xs), summed(0.5, xs), jax.grad(summed)(0.5, xs)]
