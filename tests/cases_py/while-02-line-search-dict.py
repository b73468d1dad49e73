# /// case
# id = "while-02-line-search-dict"
# kind = "traced-while"
# expect = "fix"
# findings = [20]
# ///
"""The loop changes entries of a dict of state, and calls the objective in its test."""

import jax
import jax.numpy as jnp


def objective(x):
    return jnp.sum((x - 2.0) ** 2)


@jax.jit
def backtrack(x, direction):
    state = {"t": 4.0, "tries": 0}
    while objective(x + state["t"] * direction) > objective(x):
        state["t"] *= 0.5
        state["tries"] += 1
    return x + state["t"] * direction, state["tries"]


def main():
    x = jnp.array([0.0, 1.0])
    return [backtrack(x, jnp.array(d)) for d in ([1.0, 0.5], [4.0, 2.0], [0.1, 0.1])]
