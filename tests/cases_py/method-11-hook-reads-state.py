# /// case
# id = "method-11-hook-reads-state"
# kind = "method"
# expect = "report"
# findings = [24, 38]
# ///

import functools

import jax
import jax.numpy as jnp


class Filter:
    def __init__(self, memory):
        self.memory = memory
        self.level = 0.0

    def shape(self, signal):
        raise NotImplementedError

    @functools.partial(jax.jit, static_argnums=(0,))
    def apply(self, signal):
        return self.shape(signal - self.level)

    def push(self, signal):
        out = self.apply(signal)
        self.level = self.memory * self.level + (1.0 - self.memory) * jnp.mean(signal)
        return out


class Squash(Filter):
    def __init__(self, memory, width):
        super().__init__(memory)
        self.width = width

    def shape(self, signal):
        return jnp.tanh(signal / self.width)

    def widen(self, by):
        self.width = self.width + by


def main():
    squash = Squash(0.5, 1.0)
    signal = jnp.array([1.0, 2.0, -1.0])
    out = [squash.push(signal), squash.push(2.0 * signal)]
    squash.widen(3.0)
    out.append(squash.push(signal))
    out.append(Squash(0.9, 2.0).push(signal))
    return out
