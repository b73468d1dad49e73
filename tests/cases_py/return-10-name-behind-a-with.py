# /// case
# id = "return-10-name-behind-a-with"
# kind = "early-return"
# expect = "fix"
# findings = [15, 24]
# ///
"""A return leaves a with or try block; a number, and an array, are bound after it and read behind the block."""
import jax
import jax.numpy as jnp


@jax.jit
def scaled(x):
    with jax.named_scope("guard"):
        if x < 0:
            return x * 0.0, 0
        y = x * 2.0
    return y, 1


@jax.jit
def shifted(x, v):
    try:
        if x < 0:
            return v
        y = v * 2.0
    finally:
        x = 1.0
    return y + x


def main():
    values = [jnp.float32(x) for x in (-1.0, 0.0, 2.0)]
    return [scaled(x) for x in values], [shifted(x, jnp.arange(3.0)) for x in values]
