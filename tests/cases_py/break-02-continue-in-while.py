# /// case
# id = "break-02-continue-in-while"
# kind = "break-continue"
# expect = "fix"
# findings = [16, 18, 20]
# ///
"""`continue` skips odd numbers, the counter moves first; `break` leaves at a bound."""

import jax
import jax.numpy as jnp


@jax.jit
def sum_even(limit, most):
    i, total = 0, 0
    while i < limit:
        i += 1
        if i % 2:
            continue
        if total + i > most:
            break
        total += i
    return total, i


def main():
    pairs = ((10, 100), (10, 11), (0, 5), (7, 2))
    return [sum_even(jnp.int32(n), jnp.int32(m)) for n, m in pairs]
