# /// case
# id = "method-14-settings-of-the-object"
# kind = "method"
# expect = "fix"
# findings = [30, 33, 34, 55, 56, 57, 58, 71, 72]
# ///
"""Attributes that Python needs while JAX traces: words, flags and a depth that has few values are
static. The jitted attribute may be declared, as a field of a dataclass too."""

import dataclasses
import functools
from typing import Any

import jax
import jax.numpy as jnp


@dataclasses.dataclass
class Scaler:
    gain: float
    mode: str = "linear"
    offset: Any = 0.0
    apply: Any = dataclasses.field(init=False, repr=False)

    def __post_init__(self):
        self.apply = jax.jit(self._apply)

    def _shifted(self, x):
        # what `apply` is about
        return x - self.offset

    def _apply(self, x):
        y = self.gain * self._shifted(x)
        if self.mode == "log":
            return jnp.log1p(jnp.abs(y))
        return y


class Layer:
    run: object

    def __init__(self, w, mode="relu", residual=False):
        self.w = w
        self.mode = mode
        self.residual = residual
        self.depth = 1
        self.run = jax.jit(self._run)

    def deepen(self):
        self.depth = 2
        return self

    def _run(self, x):
        y = x
        for _ in range(self.depth):
            y = self.w @ y
            y = jnp.maximum(y, 0.0) if self.mode == "relu" else jnp.tanh(y)
        return y + x if self.residual else y


class Loss:
    def __init__(self, kind):
        self.kind = kind
        self.scale = 1.0

    def blamed(self):
        return f"{self.kind} of {self.scale}"

    @functools.partial(jax.jit, static_argnums=0)
    def value(self, x):
        if self.kind == "l1":
            return self.scale * jnp.abs(x).sum()
        return (x * x).sum()


def main():
    x = jnp.array([1.0, -3.0])
    scaler, layer, loss = Scaler(2.0), Layer(jnp.array([[1.0, -2.0], [0.5, 0.25]])), Loss("l1")
    out = [scaler.apply(x), layer.run(x), loss.value(x)]
    scaler.gain, layer.mode, loss.kind = 0.5, "tanh", "l2"
    out += [scaler.apply(x), layer.run(x), loss.value(x)]
    scaler.offset, layer.residual, loss.scale = jnp.array([1.0, 1.0]), True, 0.5
    out += [scaler.apply(x), layer.run(x), loss.value(x)]
    scaler.mode, loss.kind = "log", "l1"
    out += [scaler.apply(x), layer.deepen().run(x), loss.value(x)]
    layer.w = 2.0 * layer.w
    out += [layer.run(x), Scaler(1.0, "log").apply(2.0 * x)]
    return [*out, loss.blamed()]
