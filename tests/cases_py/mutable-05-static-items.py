# /// case
# id = "mutable-05-static-items"
# kind = "mutable-capture"
# expect = "fix"
# findings = [19, 26, 27, 33]
# ///

import types

import jax
import jax.numpy as jnp

config = types.SimpleNamespace(mode="mean", depth=2, gain=1.0)
options = dict(axis=0, keep=False)


def pooled(x):
    """One number of all: which, `config` says."""
    if config.mode == "mean":
        return x.mean()
    return x.max()


@jax.jit
def run(x):
    for _ in range(config.depth):
        x = x * config.gain + pooled(x)
    return x


@jax.jit
def reduced(x):
    return jnp.sum(x, axis=options["axis"], keepdims=options["keep"])


def main():
    config.mode, config.depth, config.gain = "mean", 2, 1.0
    options.update({"axis": 0, "keep": False})
    x = jnp.arange(6.0).reshape(2, 3)
    out = [run(x), reduced(x)]
    config.mode = "max"
    config.gain = 2.0
    options["axis"] = 1
    out += [run(x), reduced(x)]
    config.depth = 1
    options.update(keep=True)
    out += [run(x), reduced(x)]
    return out
