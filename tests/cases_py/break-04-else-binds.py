# /// case
# id = "break-04-else-binds"
# kind = "break-continue"
# expect = "fix"
# findings = [16, 28, 39, 41, 53]
# ///
"""A name is bound where the loop is left and in its else block."""

import jax
import jax.numpy as jnp


@jax.jit
def a(x):
    for k in range(4):
        if x > k:
            hit = k
            break
        x = x + 0.5
    else:
        hit = -1
    return x, hit


@jax.jit
def b(x):
    for k in range(14):
        if x > k:
            hit = k
            break
        x = x + 0.5
    else:
        hit = -1
    return x, hit


@jax.jit
def c(x):
    while x < 10:
        x = x + 0.75
        if jnp.floor(x) % 4 == 0:
            why = 2
            break
    else:
        why = 1
        x = x - 10
    return x, why


@jax.jit
def d(x, n):
    for k in range(n):
        if x > k:
            hit = k
            break
        x = x + 0.5
    else:
        hit = -1
    return x, hit


def main():
    out = [f(jnp.float32(x)) for f in (a, b, c) for x in (-20.0, 0.25, -1.2, 3.0, 9.8)]
    return out, [
        d(jnp.float32(x), n) for x in (-20.0, 0.25, -1.2, 3.0, 9.8) for n in (0, 1, 5)
    ]
