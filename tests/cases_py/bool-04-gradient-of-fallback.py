# /// case
# id = "bool-04-gradient-of-fallback"
# kind = "traced-bool-op"
# expect = "fix"
# findings = [16, 21, 26]
# grad = true
# ///
"""Only the operand that Python would give has a gradient."""

import jax
import jax.numpy as jnp


@jax.jit
def rooted(rate):
    return rate and jnp.sqrt(rate)


@jax.jit
def inverted(rate, x):
    return rate or 1.0 / x


@jax.jit
def given(x, y=None, z=2.0):
    return y or x or z


def main():
    slopes = [jax.grad(rooted)(r) for r in (0.0, 4.0)]
    slopes += [jax.grad(inverted, (0, 1))(r, x) for r, x in ((1.0, 0.0), (0.0, 2.0))]
    values = [rooted(r) for r in (0.0, 4.0)] + [inverted(0.0, 4.0), inverted(3.0, 0.0)]
    return slopes, values, [given(0.0), given(1.0), given(0.0, 3.0), given(0.0, 0.0)]
