# /// case
# id = "while-13-true-break-and-return"
# kind = "early-return"
# expect = "fix"
# findings = [15, 18, 28]
# ///
"""`while True` whose body begins with a break: the loop ends without a return, too."""

import jax
import jax.numpy as jnp


@jax.jit
def doubled(x):
    while True:
        if x > 10:
            break
        x = x * 2 + 1
        if x < 0:
            return -x
    return x + 0.5


@jax.jit
def settled(x, tol):
    rounds = 0
    while True:
        if jnp.abs(x) < tol:
            break
        rounds += 1
        if rounds > 4:
            return x, -rounds
        x = x * 0.25
    x = x + 100.0
    return x, rounds


def main():
    numbers = (-2.0, -1.0, -0.25, 0.0, 3.0, 12.0)
    found = [doubled(jnp.float32(x)) for x in numbers]
    tols = (0.1, 1e-6)
    return found, [settled(jnp.float32(x), jnp.float32(t)) for x in numbers for t in tols]
