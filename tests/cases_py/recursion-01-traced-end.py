# /// case
# id = "recursion-01-traced-end"
# kind = "traced-if"
# expect = "report"
# findings = [14, 16, 22, 26, 31]
# ///
"""Only traced conditions end these recursions: tracing both branches would never end."""

import jax
import jax.numpy as jnp


def ackermann(m, n):
    if m == 0:
        return n + 1
    if n == 0:
        return ackermann(m - 1, 1)
    return ackermann(m - 1, ackermann(m, n - 1))


def is_even(n):
    return True if n == 0 else is_odd(n - 1)


def is_odd(n):
    return False if n == 0 else is_even(n - 1)


@jax.jit
def evened(n, x):
    if x > 0:
        x = jnp.where(is_even(n), x, -x)
    return x


fast = jax.jit(ackermann)


def main():
    grown = [fast(jnp.int32(1), jnp.int32(2)), fast(jnp.int32(2), jnp.int32(1))]
    return grown, [evened(jnp.int32(n), jnp.float32(2.0)) for n in (0, 3, 4)]
