# /// case
# id = "static-07-sets"
# kind = "static-arg"
# expect = "fix"
# findings = [28, 29, 30]
# oracle = "eager"
# ///

from functools import partial

import jax
import jax.numpy as jnp


@partial(jax.jit, static_argnames=("frozen", "order"))
def sgd(params, grads, frozen, order=(1, 0)):
    out = []
    for name in sorted(params):
        step = 0.0 if name in frozen else 0.1
        out.append(params[name] - step * grads[name])
    return [out[i] for i in order]


def main():
    params = {"a": jnp.ones(2), "b": jnp.zeros(1)}
    grads = {"a": jnp.array([1.0, -1.0]), "b": jnp.array([2.0])}
    return [
        sgd(params, grads, frozen={"a"}),
        sgd(params, grads, set(), (0, 1)),
        sgd(params, grads, {name for name in params if name > "a"}),
    ]
