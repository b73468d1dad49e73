# /// case
# id = "while-03-host-loop-clean"
# kind = "traced-while"
# expect = "clean"
# findings = []
# ///
"""The loop is outside the compiled function: reading a result on the host is normal there."""

import jax
import jax.numpy as jnp


@jax.jit
def shrink(x):
    return x * 0.5, jnp.max(jnp.abs(x)) > 0.1


def main():
    x, busy, rounds = jnp.array([1.0, -3.0]), True, 0
    while busy:
        x, busy = shrink(x)
        rounds += 1
    return [x, rounds]
