# /// case
# id = "recompile-09-default-of-a-lambda"
# kind = "recompile"
# expect = "report"
# findings = [20, 25]
# ///
"""The default of a lambda is made where the lambda is: the jit cannot go elsewhere."""

import jax
import jax.numpy as jnp

rate = 100.0


def sweep(x, rates):
    out = []
    for rate in rates:
        # Each round has a rate of its own.
        out.append(
            jax.jit(lambda v, rate=rate: v * rate)(x),
        )
    return out


def once(x, rate):
    return jax.jit(lambda v, rate=rate + 1.0: v * rate)(x)


def main():
    x = jnp.array([1.0, 2.0])
    return [sweep(x, [1.0, 3.0]), [once(x, float(i)) for i in range(3)]]
