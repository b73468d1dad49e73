# /// case
# id = "bool-06-in-range"
# kind = "traced-bool-op"
# expect = "fix"
# findings = [16, 18, 20, 21, 22]
# ///
"""Is a traced number in a range? Integers lie between its bounds, a float may be none."""

import jax
import jax.numpy as jnp


@jax.jit
def zone(i, x, n):
    code = 0
    if i in range(1, 4):
        code = 1
    elif i not in range(n):
        code = 2
    even = i in range(0, 10, 2)
    whole = x in range(3)
    return code, even, whole, i % 5 not in range(2, n)


def main():
    numbers = (-1, 0, 1, 3, 4, 8, 10)
    rows = [(jnp.int32(i), jnp.float32(x)) for i in numbers for x in (0.5, 2.0, 3.0)]
    return [zone(i, x, jnp.int32(n)) for i, x in rows for n in (0, 6)]
