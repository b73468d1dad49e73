# /// case
# id = "mutable-03-namespace-attributes"
# kind = "mutable-capture"
# expect = "fix"
# findings = [19, 20]
# oracle = "eager"
# ///

import types

import jax
import jax.numpy as jnp

cfg = types.SimpleNamespace(decay=0.9, floor=0.0)


@jax.jit
def smooth(state, value):
    mixed = cfg.decay * state + (1.0 - cfg.decay) * value
    return jnp.maximum(mixed, cfg.floor)


def run(values):
    state = jnp.zeros(2)
    for value in values:
        state = smooth(state, value)
    return state


def main():
    values = jnp.array([[1.0, -2.0], [0.5, 4.0], [-3.0, 1.0]])
    cfg.decay, cfg.floor = 0.9, 0.0
    out = [run(values)]
    cfg.decay = 0.25
    out.append(run(values))
    cfg.floor = 1.5
    out.append(run(values))
    return out
