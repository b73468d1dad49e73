# /// case
# id = "recompile-04-jit-in-epoch"
# kind = "recompile"
# expect = "fix"
# findings = [26]
# grad = true
# want = "[[[0.2533333, -0.05333337], [0.371437, -0.09534818], [0.4488038, 0.04274028]], True]"
# oracle = "want"
# ///

"""The update function is built anew by every call of `fit_epoch`: each build compiles."""

import jax
import jax.numpy as jnp
import numpy as np

TRACES = []


def loss(params, x, y):
    TRACES.append(1)
    return jnp.mean((x @ params - y) ** 2)


def fit_epoch(params, batches, rate):
    @jax.jit
    def update(params, x, y):
        return params - rate * jax.grad(loss)(params, x, y)

    for x, y in batches:
        params = update(params, x, y)
    return params


def main():
    TRACES.clear()
    x = np.float32([[1, 0], [0, 2], [1, 1]])
    batches = [(x, x.sum(axis=1)), (2 * x, x[:, 0])]
    params = jnp.zeros(2)
    out = []
    for rate in np.float32([0.1, 0.1, 0.05]):
        params = fit_epoch(params, batches, rate)
        out.append(params)
    return [out, len(TRACES) <= 2]
