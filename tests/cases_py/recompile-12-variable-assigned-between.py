# /// case
# id = "recompile-12-variable-assigned-between"
# kind = "recompile"
# expect = "fix"
# findings = [21, 23]
# ///
"""A local function that is compiled in each round; one of its variables is assigned between two calls."""
import jax
import jax.numpy as jnp


def fit(rows, rounds):
    w = jnp.zeros(2)
    momentum = jnp.zeros(2)
    out = []
    k = 0
    while k < rounds:
        batch = rows[k % len(rows)]
        k += 1

        @jax.jit
        def step(w, m):
            g = jax.grad(lambda v: jnp.sum((batch @ v - k) ** 2))(w)
            m = 0.5 * m + g
            return w - 0.01 * m, m

        w, momentum = step(w, momentum)
        batch = batch * 2.0
        out.append(step(w, momentum)[0])
    return out


def main():
    rows = [jnp.array([[1.0, 2.0]]), jnp.array([[0.5, -1.0]])]
    return fit(rows, 3)
