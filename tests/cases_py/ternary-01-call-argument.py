# /// case
# id = "ternary-01-call-argument"
# kind = "traced-ternary"
# expect = "fix"
# findings = [15, 17, 18]
# ///
"""A conditional expression stands as an argument, inside a subscript and in a return."""

import jax
import jax.numpy as jnp


@jax.jit
def blend(x, t):
    left = jnp.tanh(x if t < 0.5 else -x)
    pair = jnp.stack([left, x])
    picked = pair[0 if t > 0.25 else 1]
    return picked * (1.0 if t >= 0.0 else 2.0)


def main():
    x = jnp.array([0.5, -1.0])
    return [blend(x, jnp.float32(t)) for t in (-1.0, 0.0, 0.3, 0.5, 0.9)]
