# /// case
# id = "method-17-scan-over-a-bound-method"
# kind = "method"
# expect = "fix"
# findings = [20, 21]
# oracle = "eager"
# ///
"""A scan runs a bound method whose attributes are set again later."""
import jax
import jax.numpy as jnp


class Filter:
    def __init__(self, pole):
        self.pole = pole
        self.gain = 1.0
        self.apply = jax.jit(self._apply)

    def _tick(self, state, x):
        state = self.pole * state + (1.0 - self.pole) * x
        return state, self.gain * state

    def _apply(self, xs):
        last, ys = jax.lax.scan(self._tick, 0.0, xs)
        return ys, last

    def retune(self, pole, gain=None):
        self.pole = pole
        if gain is not None:
            self.gain = gain
        return self


def main():
    xs = jnp.array([1.0, 0.0, 2.0])
    f = Filter(0.5)
    out = [f.apply(xs)]
    out.append(f.retune(0.25).apply(xs))
    out.append(f.retune(0.0, gain=3.0).apply(xs=xs))
    return out
