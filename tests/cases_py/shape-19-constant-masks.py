# /// case
# id = "shape-19-constant-masks"
# kind = "dynamic-shape"
# expect = "fix"
# findings = [16, 17, 18, 19, 20, 21, 30]
# ///
"""Masks made of constants and shapes: by name, inline, combined, twice used, beside other indices and in an update."""
import jax
import jax.numpy as jnp


@jax.jit
def f(x, y):
    even = jnp.arange(x.shape[0]) % 2 == 0
    first = jnp.array([True, False, False, True])
    a = x[even] * 2.0
    b = y[:, first]
    c = x[jnp.logical_or(first, even)]
    d = x.at[first].set(x[first] + 1.0)
    e = x[~even]
    k = x[first].sum()
    return a, b, c, d, e, k, jnp.where(first, x, 0.0)


@jax.jit
def g(x):
    m = jnp.array([True, False])
    n = m.at[0].set(False)
    p = jnp.arange(2) * 0.1 <= 0.1
    return jnp.sum(x[m]), jnp.sum(x[n]), jnp.sum(x[p])


def main():
    return f(jnp.arange(4.0), jnp.arange(8.0).reshape(2, 4)), g(jnp.arange(2.0))
