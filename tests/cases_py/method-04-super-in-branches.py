# /// case
# id = "method-04-super-in-branches"
# kind = "method"
# expect = "fix"
# findings = [28, 33, 40, 49]
# ///
"""`super()` in branches, in a loop and in a conditional expression.

There it ends up in a local function, and without arguments it would ask that one for
its first parameter.
"""

import jax
import jax.numpy as jnp


class Valve:
    def __init__(self, opening):
        self.opening = opening

    def flow(self, dp):
        return self.opening * jnp.sqrt(jnp.abs(dp)) * jnp.sign(dp)


class CheckValve(Valve):
    def flow(self, dp):
        """No flow backwards."""
        if dp < 0:
            return 0.0
        return super().flow(dp)

    def part(self, dp):
        return super().flow(dp) if dp < 4 else super().flow(4.0) + self.opening


class Leak(CheckValve):
    def flow(self, dp, /):
        total = 0.0
        k = 0
        while total < dp:
            total = total + super().flow(dp) + 0.25
            k = k + 1
        return total, k


def nested():
    class Inner(Valve):
        def flow(self, dp):
            if dp > 1:
                dp = dp - 1
                out = super().flow(dp) * 2
            else:
                out = dp * 0.5
            return out

    return Inner(jnp.float32(2.0))


@jax.jit
def network(opening, dp):
    check = CheckValve(opening)
    return check.flow(dp), check.part(dp), Leak(opening).flow(dp), nested().flow(dp)


def main():
    cases = [(0.5, 1.0), (0.5, -1.0), (1.0, 2.25), (1.0, 9.0)]
    return [network(jnp.float32(a), jnp.float32(b)) for a, b in cases]
