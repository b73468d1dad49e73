# /// case
# id = "iter-03-zip-of-rows"
# kind = "traced-iter"
# expect = "fix"
# findings = [17]
# ///
"""`zip` of a static tuple with rows of an array; the first failing row ends the loop."""

import jax
import jax.numpy as jnp


@jax.jit
def integrate(rows, limit):
    total = 0.0
    for weight, row in zip((1.0, 2.0, 4.0), rows):
        if jnp.max(row) > limit:
            break
        total = total + weight * jnp.sum(row)
    return total


def main():
    rows = jnp.array([[1.0, 2.0], [3.0, 0.0], [0.5, 0.5]])
    return [integrate(rows, jnp.float32(v)) for v in (9.0, 2.5, 0.0)]
