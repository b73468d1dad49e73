# /// case
# id = "mutable-07-order-of-the-items"
# kind = "mutable-capture"
# expect = "report"
# findings = [18, 35]
# ///
"""A dict that becomes an argument comes back with sorted keys: where its items build on
each other, in the order in which they were put in, it cannot become one."""

import jax
import jax.numpy as jnp

gains = {"scale": 2.0, "offset": 1.0}


@jax.jit
def respond(x):
    for name, value in gains.items():
        x = x * value if name == "scale" else x + value
    return x


def last_of(table, x):
    for value in table.values():
        x = jnp.tanh(x * value)
    return x


def chain(rounds):
    layers = {"w2": jnp.float32(2.0), "b1": jnp.float32(0.5)}
    out = []

    @jax.jit
    def respond(x):
        return last_of(layers, x)

    for _ in range(rounds):
        out.append(respond(jnp.float32(3.0)))
        layers = {"w2": -layers["w2"], "b1": layers["b1"]}
    return out


def main():
    gains["scale"] = 2.0
    gains["offset"] = 1.0
    out = [respond(jnp.float32(3.0))]
    gains["scale"] = 5.0
    out.append(respond(jnp.float32(3.0)))
    return [out, chain(2)]
