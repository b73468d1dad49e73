# /// case
# id = "state-15-attributes-by-name"
# kind = "side-effect-state"
# expect = "report"
# findings = [21, 28]
# ///

import jax
import jax.numpy as jnp


class Probe:
    pass


probe = Probe()


def record(**values):
    for name, value in values.items():
        setattr(probe, name, value)


@jax.jit
def layer(weights, x):
    hidden = jnp.tanh(weights @ x)
    record(hidden=hidden, saturation=jnp.mean(jnp.abs(hidden)))
    vars(probe)["seen"] = x.sum()
    return hidden.sum()


def main():
    weights = jnp.array([[0.5, -1.0], [2.0, 0.0]])
    out = [layer(weights, jnp.array([1.0, 2.0])), layer(weights, jnp.array([0.0, 1.0]))]
    return [out, len(vars(probe))]
