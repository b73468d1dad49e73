# /// case
# id = "static-06-lists-and-a-tuple"
# kind = "static-arg"
# expect = "fix"
# findings = [22, 27]
# oracle = "eager"
# ///

import functools

import jax
import jax.numpy as jnp


@functools.partial(jax.jit, static_argnames=["shape", "names"])
def fold(x, shape, names=("a", "b")):
    parts = jnp.split(x.reshape(shape), len(names))
    return {name: part.sum() for name, part in zip(names, parts)}


def from_config(x, config):
    return fold(x, shape=[2, -1], names=config)


def main():
    x = jnp.arange(12.0)
    out = [fold(x, [4, 3])]
    out.append(fold(x, shape=(2, 6)))
    out.append(from_config(x, ["left", "right"]))
    return out
