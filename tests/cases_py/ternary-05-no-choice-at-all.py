# /// case
# id = "ternary-05-no-choice-at-all"
# kind = "traced-ternary"
# expect = "fix"
# findings = [15, 18, 28, 29]
# ///
"""Both arms are one number; a condition binds what a branch rebinds."""

import jax
import jax.numpy as jnp


@jax.jit
def step(x, n, ok):
    if ok:
        return x
    x = 2.0
    return x if n % 2 == 0 else x


step(jnp.float32(1.0), 3, jnp.array(False))


@jax.jit
def bound(x, n):
    y, x = x, 0.125
    total = 0.0
    if n == 1:
        if (low := jnp.minimum(x, y)) > 0.0:
            low = low + 1.0
            y = low / 2.0
        else:
            x *= 0.25
        total = jnp.maximum(low, x)
    return y, total


def main():
    steps = [step(jnp.float32(1.5), n, jnp.array(ok)) for n in (0, 1) for ok in (0, 1)]
    found = [bound(jnp.float32(x), n) for x in (-1.0, 0.5) for n in (0, 1)]
    return [float(s) for s in steps], [(float(y), float(t)) for y, t in found]
