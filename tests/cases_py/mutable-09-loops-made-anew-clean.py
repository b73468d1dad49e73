# /// case
# id = "mutable-09-loops-made-anew-clean"
# kind = "mutable-capture"
# expect = "clean"
# findings = []
# ///
"""What a run jits it makes anew, behind a switch that other runs use as well."""

import jax
import jax.numpy as jnp

DEBUG = False


def maybe_jit(fn):
    return fn if DEBUG else jax.jit(fn)


def collect(body, x):
    def loop(x):
        return body(x) + 1.0

    return maybe_jit(loop)(x)


class Fit:
    def __init__(self):
        self.scale = None

    def init(self, x):
        self.scale = x.max()

    def update(self, x):
        return x / self.scale

    def run(self, x):
        self.init(x)

        def step(x):
            return self.update(x)

        return collect(step, x)


def applied(fn, x):
    return maybe_jit(fn)(x)


def main():
    fit = Fit()
    return [
        fit.run(jnp.arange(3.0)),
        fit.run(jnp.arange(1.0, 5.0)),
        applied(jnp.sin, 1.0),
    ]
