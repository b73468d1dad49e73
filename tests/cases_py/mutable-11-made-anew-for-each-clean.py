# /// case
# id = "mutable-11-made-anew-for-each-clean"
# kind = "mutable-capture"
# expect = "clean"
# findings = []
# ///
"""A new function or object is made after each change; a number is not changed at all."""

from functools import partial

import jax
import jax.numpy as jnp


def make_step(config):
    @jax.jit
    def step(p):
        return p - config["lr"] * p

    return step


def scaled_by(factor):
    return jax.jit(lambda p: p * factor)


class Trainer:
    def __init__(self, config, history):
        self.config = config
        self.history = history

    @partial(jax.jit, static_argnums=0)
    def step(self, p):
        return p - self.config["lr"] * p

    def fit(self, p):
        for _ in range(2):
            p = self.step(p)
            self.history.append(p)
        return p


def main():
    config = {"lr": 0.5}
    p, factor, history = 1.0, 2.0, []
    double = scaled_by(factor)
    for _ in range(3):
        p = make_step(config)(p)
        p = Trainer(config, history).fit(p)
        p = double(p)
        config["lr"] *= 0.5
        factor *= 0.5
    return [p, history]
