# /// case
# id = "nested-02-static-outer"
# kind = "nested"
# expect = "fix"
# findings = [20]
# ///
"""Static loops and flags around a traced branch: only the traced one changes."""

from functools import partial

import jax
import jax.numpy as jnp


@partial(jax.jit, static_argnames=("rounds", "signed"))
def quantise(x, rounds=2, signed=False):
    scale = 1.0
    for _ in range(rounds):
        if signed:
            if x < 0.0:
                x = -x
                scale = -scale
        x = x * 0.5
        scale = scale * 2.0
    return jnp.round(x) * scale


def main():
    xs = [jnp.float32(v) for v in (6.0, -10.0, 0.0)]
    return [quantise(x) for x in xs] + [quantise(x, rounds=3, signed=True) for x in xs]
