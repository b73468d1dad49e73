# /// case
# id = "break-10-variable-in-else"
# kind = "break-continue"
# expect = "fix"
# findings = [16, 18]
# ///
"""The variable of a loop gets another value in its `else`, and so does a result."""

import jax
import jax.numpy as jnp


@jax.jit
def first_over(x, limit):
    for i in range(len(x)):
        if jnp.isnan(x[i]):
            continue
        if x[i] > limit:
            value = x[i]
            break
    else:
        i = -1
        value = limit
    return i, value


def main():
    nan = jnp.nan
    rows = ([1.0, 5.0, 9.0], [9.0, nan], [nan, nan, 7.0], [1.0, 2.0], [nan])
    return [first_over(jnp.array(row), limit) for row in rows for limit in (4.0, 0.5)]
