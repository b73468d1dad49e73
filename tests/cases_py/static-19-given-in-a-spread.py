# /// case
# id = "static-19-given-in-a-spread"
# kind = "static-arg"
# expect = "fix"
# findings = [15, 16, 21]
# ///
"""What must be static comes in `*args` and `**options` of a function in between."""

import jax
import jax.numpy as jnp


@jax.jit
def smooth(x, width=3, mode="same"):
    kernel = jnp.ones(width) / width
    return jnp.convolve(x, kernel, mode=mode)


@jax.jit
def reduced(x, how="sum"):
    return x.sum() if how == "sum" else x.max()


def pipeline(fn, x, **options):
    x = (x - x.mean()) / x.std()
    return fn(x, **options)


class Layer:
    def __init__(self, fn, *args):
        self.fn = fn
        self.args = args

    def __call__(self, x):
        return self.fn(x, *self.args)


def main():
    x = jnp.array([1.0, 2.0, 6.0, 1.0, 0.0, 4.0])
    opts = dict(width=2, mode="valid")
    return [
        pipeline(smooth, x),
        pipeline(smooth, x, width=5),
        pipeline(smooth, x, **opts),
        smooth(x, 4, mode="full"),
        Layer(reduced)(x),
        Layer(reduced, "max")(x),
    ]
