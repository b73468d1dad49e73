# /// case
# id = "while-06-bound-in-condition"
# kind = "traced-while"
# expect = "fix"
# findings = [20, 28, 29, 36, 38, 46]
# ///
"""The condition of a loop binds a name, which is read in the loop and after it."""

import jax
import jax.numpy as jnp


def update(x, a):
    return 0.5 * (x + a / x)


@jax.jit
def root(a, x0):
    x = x0
    while (gap := jnp.abs(update(x, a) - x)) > 1e-3:
        x = update(x, a)
    return x, gap


@jax.jit
def root2(a, x0):
    x = x0
    while (gap := jnp.abs(update(x, a) - x)) > 1e-3:
        x = x + 0.5 * gap if x < 0 else update(x, a)
    return x


@jax.jit
def root3(a, x0):
    x = x0
    while (gap := jnp.abs(update(x, a) - x)) > 1e-3:
        x = update(x, a)
        if gap > 100:
            break
    return x, gap


@jax.jit
def root4(a, x0):
    x = x0
    while (gap := jnp.abs(update(x, a) - x)) > 1e-3:
        x = update(x, a)
    else:
        x = x + 0.0
    return x, gap


def main():
    return [
        f(jnp.float32(a), jnp.float32(x))
        for f in (root, root2, root3, root4)
        for a, x in ((2.0, 1.0), (9.0, 3.0), (0.25, 4.0), (0.25, 1000.0))
    ]
