# /// case
# id = "return-15-number-that-no-round-gives"
# kind = "early-return"
# expect = "fix"
# findings = [17, 25]
# ///
"""No round returns: JAX hands back the Python number that the result starts with."""

import jax
import jax.numpy as jnp

LIMIT = 4


@jax.jit
def leave(x, y, v):
    while jnp.any(v > x):
        for _ in range(LIMIT):
            if LIMIT < 1:
                y = y / 2.0
                return 1.5
        x += 1.0
    x = jnp.sin(x) + jnp.cos(y)
    for k in range(2):
        if y < k:
            break
        x = x / 2.0 + y
    return v.max()


def main():
    v = jnp.array([1.0, 3.0])
    return [leave(jnp.float32(a), jnp.float32(b), v) for a in (0.5, 5.0) for b in (0.5, 2.0)]
