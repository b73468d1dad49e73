# /// case
# id = "cast-09-votes-and-signs"
# kind = "concretize-cast"
# expect = "fix"
# findings = [15, 16, 17, 19, 24, 25, 26, 32]
# ///
"""Truth values that are counted: in Python they are 0 and 1, in arrays they are not."""

import jax
import jax.numpy as jnp


@jax.jit
def votes(x, y):
    first = bool(x > 0) + bool(y > 0)
    a = bool(x > 1)
    b = (y > 1).item()
    score = 3 - (a + b)
    score += bool(x > y) * (bool(y) + True)
    return first, score


def sign(x):
    s = bool(x > 0) - bool(x < 0)
    low = ~bool(x > 0)
    return s * 2.0, -bool(x), low, bool(x > 0) * 2.5, bool(x) + 1


@jax.jit
def both(x, k):
    is_new = k > 2
    return sign(x), sign(2.0 - x), bool(is_new) & bool(k)


def main():
    pairs = ((2.0, 3.0), (-1.0, 1.0), (0.5, 0.25), (0.0, 0.0))
    out = [votes(jnp.float32(x), jnp.float32(y)) for x, y in pairs]
    out += [both(jnp.float32(x), jnp.int32(y)) for x, y in pairs]
    return [*out, sign(-3.0), sign(0)]
