# /// case
# id = "while-05-vector-state-and-tuple"
# kind = "traced-while"
# expect = "fix"
# findings = [16]
# ///
"""Power iteration: a vector and a scalar change together until they settle."""

import jax
import jax.numpy as jnp


def dominant(matrix, tol):
    v = jnp.ones(matrix.shape[0])
    value, change = 0.0, jnp.inf
    while change > tol:
        w = matrix @ v
        new = jnp.max(jnp.abs(w))
        change = jnp.abs(new - value)
        v, value = w / new, new
    return value, v


solve = jax.jit(dominant)


def main():
    a = jnp.array([[2.0, 1.0], [1.0, 3.0]])
    return [solve(a, jnp.float32(1e-3)), solve(jnp.diag(jnp.array([4.0, 1.0])), 1e-2)]
