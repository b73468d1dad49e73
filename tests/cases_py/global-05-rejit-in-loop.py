# /// case
# id = "global-05-rejit-in-loop"
# kind = "global-capture"
# expect = "fix"
# findings = [16]
# oracle = "eager"
# ///

import jax
import jax.numpy as jnp

penalty = 1.0


def energy(q):
    return jnp.sum(q**2) + penalty * jnp.sum(jnp.maximum(q - 1.0, 0.0) ** 2)


def minimise(q, rounds):
    global penalty
    trail = []
    for _ in range(rounds):
        force = jax.jit(jax.grad(energy))
        for _ in range(2):
            q = q - 0.05 * force(q)
        trail.append((q, jax.jit(energy)(q)))
        penalty *= 3.0
    return trail


def main():
    global penalty
    penalty = 1.0
    first = minimise(jnp.array([2.0, -1.0, 3.0]), 3)
    penalty = 0.5
    return [first, minimise(jnp.array([4.0]), 2)]
