# /// case
# id = "return-05-rest-of-a-with"
# kind = "early-return"
# expect = "fix"
# findings = [17, 24, 33, 35]
# ///
"""Two branches of a `with` or `try` go on to a long rest of it, another one returns."""

import jax
import jax.numpy as jnp


@jax.jit
def filtered(x, n):
    hits = 0
    with jax.named_scope("outer"):
        if x > 3:
            hits += 1
        elif x > 0:
            return x * 2, hits
        x = x - 1
        hits += 10
        x = x * 0.5
    for i in range(n):
        x = x + i
    return x, hits


@jax.jit
def tried(x):
    log = 0.0
    try:
        if x > 2:
            x = x - 1
            if x > 4:
                return x + log
        elif x < -2:
            return -x
        log = log + x
        x = x * 3
        log = log + 1
    finally:
        log = log + 100
    x = x + log
    return x


def main():
    numbers = [jnp.float32(x) for x in (-3.0, -1.0, 1.0, 2.5, 3.5, 7.0)]
    found = [filtered(x, jnp.int32(n)) for x in numbers for n in (0, 3)]
    return found, [tried(x) for x in numbers]
