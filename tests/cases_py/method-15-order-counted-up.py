# /// case
# id = "method-15-order-counted-up"
# kind = "method"
# expect = "report"
# findings = [19]
# ///
"""An attribute that is counted up and gives the length of a loop: too many values to be static."""
import jax
import jax.numpy as jnp


class Power:
    def __init__(self):
        self.order = 1
        self.run = jax.jit(self._run)

    def _run(self, x):
        y = x
        for _ in range(self.order):
            y = y * x
        return y


def main():
    p = Power()
    out = []
    for _ in range(3):
        out.append(p.run(jnp.float32(2.0)))
        p.order += 1
    return out
