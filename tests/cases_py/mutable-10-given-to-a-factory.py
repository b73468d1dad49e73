# /// case
# id = "mutable-10-given-to-a-factory"
# kind = "mutable-capture"
# expect = "fix"
# findings = [18, 25, 36]
# ///
"""What a factory or a constructor was given is changed by the one who gave it."""

from functools import partial

import jax
import jax.numpy as jnp


def make_step(config):
    @jax.jit
    def step(p):
        return p - config["lr"] * p

    return step


def make_update(rates):
    def update(p, g):
        return p - rates[-1] * g

    return jax.jit(update)


class Trainer:
    def __init__(self, config):
        self.config = config

    @partial(jax.jit, static_argnums=0)
    def step(self, p):
        return p - self.config["lr"] * p


def main():
    rates = [0.1]
    update = make_update(rates)
    first = update(1.0, 2.0)
    rates[0] = 0.05
    config, other = {"lr": 0.5}, {"lr": 0.5}
    step = make_step(config)
    p = step(1.0)
    config["lr"] = 0.1
    trainer = Trainer(other)
    q = trainer.step(1.0)
    other["lr"] = 0.1
    return [first, update(1.0, 2.0), p, step(1.0), q, trainer.step(1.0)]
