# /// case
# id = "break-03-for-else"
# kind = "break-continue"
# expect = "fix"
# findings = [16]
# ///
"""`for ... else`: the `else` runs only where no `break` did."""

import jax
import jax.numpy as jnp


@jax.jit
def locate(x, target):
    for i in range(4):
        if x[i] >= target:
            place = i
            break
    else:
        place = -1
    return place


def main():
    x = jnp.array([1.0, 2.0, 4.0, 8.0])
    return [locate(x, jnp.float32(v)) for v in (0.5, 2.0, 3.0, 9.0)]
