# /// case
# id = "if-11-eager-function-clean"
# kind = "traced-if"
# expect = "clean"
# findings = []
# ///
"""The same names and shapes of code as in the faulty cases, but nothing is compiled here."""

import jax
import jax.numpy as jnp


def damp(x, rate):
    if x > 1.0:
        x = x * rate
    while x > 0.5:
        x = x - 0.25
    return float(x)


@jax.jit
def compiled(x):
    return x * 2.0


def main():
    values = [damp(jnp.float32(v), 0.5) for v in (3.0, 0.0)]
    if compiled(jnp.float32(1.0)) > 1.0:
        values.append(1.0)
    return values
