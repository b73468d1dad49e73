# /// case
# id = "state-02-local-list-clean"
# kind = "side-effect-state"
# expect = "clean"
# findings = []
# ///
"""Lists and dicts that live inside the traced function are no side effects."""

import jax
import jax.numpy as jnp


@jax.jit
def forward(x):
    cache = {}
    stack = [x]
    stack.append(x * 2.0)
    cache["sum"] = stack.pop() + stack[0]
    cache.setdefault("max", jnp.max(x))
    return cache


def main():
    return [forward(jnp.array([1.0, -1.0])), forward(jnp.array([0.5]))]
