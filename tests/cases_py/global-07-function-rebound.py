# /// case
# id = "global-07-function-rebound"
# kind = "global-capture"
# expect = "fix"
# findings = [18]
# grad = true
# oracle = "eager"
# ///
"""The function itself is what changes: a static argument of all that reach it."""

import jax
import jax.numpy as jnp

activation = jnp.tanh


def hidden(params, x):
    return activation(x @ params["w"])


@jax.jit
def predict(params, x):
    return hidden(params, x) @ params["v"]


gradient = jax.jit(jax.grad(lambda params, x: predict(params, x).sum()))


def use(name):
    global activation
    activation = {"tanh": jnp.tanh, "relu": jax.nn.relu}[name]


def main():
    params = {"w": jnp.array([[1.0, -0.5], [0.25, 2.0]]), "v": jnp.array([1.0, -1.0])}
    x = jnp.array([[1.0, 0.5], [-2.0, 1.0]])
    out = []
    for name in ("tanh", "relu", "tanh"):
        use(name)
        out.append([predict(params, x), gradient(params, x)["w"]])
    return out
