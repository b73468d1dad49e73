# /// case
# id = "static-08-dataclass-to-freeze"
# kind = "static-arg"
# expect = "fix"
# findings = [25]
# oracle = "eager"
# ///
"""A dataclass of settings that nobody assigns to can be frozen, and so be static."""

import dataclasses

import jax
import jax.numpy as jnp


@dataclasses.dataclass
class Config:
    width: int
    depth: int = 1
    bias: bool = False


@jax.jit
def net(x, config):
    for _ in range(config.depth):
        x = jnp.tile(x, 2)[: config.width]
        if config.bias:
            x = x + 1.0
    return x


def main():
    x = jnp.array([1.0, 2.0])
    return [net(x, Config(3)), net(x, Config(2, depth=2, bias=True)), net(x, config=Config(3))]
