# /// case
# id = "global-17-optional-values"
# kind = "global-capture"
# expect = "fix"
# findings = [21, 23, 37]
# grad = true
# oracle = "eager"
# ///
"""Values that are None at times, of the module and of an object, alone and mapped."""
import functools

import jax
import jax.numpy as jnp

mask = None
bias = None


@jax.jit
def apply(x):
    if mask is not None:
        x = x * mask
    return x if bias is None else x + bias["b"]


rows = jax.jit(jax.vmap(lambda x: apply(x).sum()))


class Probe:
    ref = None

    def __init__(self):
        self.seen = None
        self.run = jax.jit(jax.vmap(self._run, in_axes=(0, None)))

    def _run(self, x, y):
        if self.seen is None:
            return x + y
        return x + y * self.seen

    def set(self, value):
        self.seen = value
        return self


def main():
    global mask, bias
    mask = bias = None
    x = jnp.array([1.0, 2.0])
    probe = Probe()
    out = [apply(x), rows(jnp.stack([x, -x])), probe.run(x, 1.0)]
    mask = jnp.array([0.0, 1.0])
    probe.set(3.0)
    out += [apply(x), rows(jnp.stack([x, -x])), probe.run(x, 1.0)]
    bias = {"b": 2.0}
    probe.set(None)
    out += [apply(x), jax.grad(lambda v: apply(v).sum())(x), probe.run(x, 2.0)]
    mask = None
    out += [apply(x), rows(jnp.stack([x, -x]))]
    return out
