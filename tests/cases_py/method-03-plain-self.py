# /// case
# id = "method-03-plain-self"
# kind = "method"
# expect = "fix"
# findings = [21, 23]
# ///
"""`jax.jit` on a bound method: `self` is closed over, its numbers are static, `x` is not."""

import jax
import jax.numpy as jnp


class Limiter:
    def __init__(self, low, high, strict):
        self.low = low
        self.high = high
        self.strict = strict

    def clamp(self, x):
        if self.strict:
            if x < self.low:
                return jnp.nan
        if x > self.high:
            x = self.high
        return x


def main():
    out = []
    for strict in (True, False):
        clamp = jax.jit(Limiter(0.0, 2.0, strict).clamp)
        out += [clamp(jnp.float32(v)) for v in (-1.0, 1.0, 3.0)]
    return out
