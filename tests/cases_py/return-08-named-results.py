# /// case
# id = "return-08-named-results"
# kind = "early-return"
# expect = "fix"
# findings = [32, 35]
# tolerance = 1e-4
# ///

from typing import NamedTuple

import jax
import jax.numpy as jnp


class Report(NamedTuple):
    x: jax.Array
    value: jax.Array
    steps: int
    ok: bool


def quartic(x):
    return x**4 - 3.0 * x**2 + x - 1.0


@jax.jit
def find_root(x, tol):
    """Every way out says how it ended."""
    slope = jax.grad(quartic)
    for step in range(20):
        fx = quartic(x)
        if jnp.abs(fx) < tol:
            return Report(x=x, value=fx, steps=step, ok=True)
        d = slope(x)
        if jnp.abs(d) < 1e-3:
            return Report(x, fx, step, False)
        x = x - fx / d
    return Report(x, quartic(x), 20, ok=False)


def main():
    return [find_root(jnp.float32(x), 1e-4) for x in (2.0, -2.0, 0.17, 1.3)]
