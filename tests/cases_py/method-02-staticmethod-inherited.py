# /// case
# id = "method-02-staticmethod-inherited"
# kind = "method"
# expect = "fix"
# findings = [16]
# ///
"""A static method of a base class, compiled by the subclass."""

import jax
import jax.numpy as jnp


class Base:
    @staticmethod
    def clip(x, low):
        if x < low:
            return low
        return x


class Sharp(Base):
    run = staticmethod(jax.jit(Base.clip))


def main():
    return [Sharp.run(jnp.float32(v), jnp.float32(1.0)) for v in (0.5, 1.0, 2.0)]
