# /// case
# id = "break-07-count-without-end"
# kind = "break-continue"
# expect = "fix"
# findings = [17]
# ///
"""itertools.count in a for loop that a traced test ends; the count is read after the loop."""
import itertools

import jax
import jax.numpy as jnp


@jax.jit
def doublings(x, limit):
    for k in itertools.count(1):
        if x >= limit:
            break
        x = x * 2.0 + k
    return x, k


def main():
    return [doublings(jnp.float32(x), jnp.float32(10.0)) for x in (1.0, 12.0, 4.0)]
