# /// case
# id = "state-03-numpy-counter"
# kind = "side-effect-state"
# expect = "report"
# findings = [20, 26]
# ///

import jax
import jax.numpy as jnp
import numpy as np

best = jnp.inf
buffer = np.zeros(2)


@jax.jit
def track(x):
    global best
    value = jnp.sum(x**2)
    best = jnp.minimum(best, value)
    return x - 0.1 * x


@jax.jit
def fill(x):
    buffer[0] += 1.0
    return x + buffer


def main():
    x = track(jnp.array([1.0, 2.0]))
    return [x, fill(x)]
