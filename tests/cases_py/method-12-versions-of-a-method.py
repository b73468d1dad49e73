# /// case
# id = "method-12-versions-of-a-method"
# kind = "method"
# expect = "fix"
# findings = [24, 38, 44, 50]
# ///
"""What a method passes on goes to every version of the one that it calls, and what goes
behind a function of the old name stays a class method, a static one, or mapped."""

import functools

import jax
import jax.numpy as jnp

rate = 0.1


class Layer:
    scale = 1.0

    @staticmethod
    @jax.jit
    def damped(x, offset=1.0):
        return x * rate + offset

    @classmethod
    @functools.partial(jax.jit, static_argnums=(0,), static_argnames=("count",))
    def run(cls, x, *, count=2):
        return cls.shifted(x) * count

    @classmethod
    def tune(cls, scale):
        Layer.scale = scale
        return cls

    @classmethod
    def shifted(cls, x):
        return x + cls.scale


class Lower(Layer):
    @classmethod
    def shifted(cls, x):
        return x - cls.scale


@jax.vmap
@jax.jit
def slowed(x):
    return x * rate


TABLE = [slowed, Layer.damped]


def main():
    global rate
    rows = jnp.arange(3.0)
    out = []
    for rate in (0.1, 0.5):
        Layer.tune(10.0 * rate)
        out.append([Layer.damped(1.0), Layer().damped(2.0, offset=3.0), slowed(rows)])
        out.append([Layer.run(1.0), Lower.run(1.0, count=3)])
        out.append([TABLE[0](rows), TABLE[1](4.0)])
    return out
