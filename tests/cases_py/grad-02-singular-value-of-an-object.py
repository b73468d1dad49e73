# /// case
# id = "grad-02-singular-value-of-an-object"
# kind = "traced-if"
# expect = "fix"
# findings = [22, 32, 42, 50, 60, 71]
# ///
"""A root of what a dict holds stays before the branch: the dict changes in between."""

import jax
import jax.numpy as jnp


def bump(d):
    d["x"] = d["x"] + 4.0


@jax.jit
def attr(x, y):
    d = {"x": x, "y": y}
    n = jnp.sqrt(d["x"])
    d["x"] = d["x"] + 4.0
    if y > 1.0:
        return n * 2
    return d["x"]


@jax.jit
def helper(x, y):
    d = {"x": x, "y": y}
    n = jnp.sqrt(d["x"])
    bump(d)
    if y > 1.0:
        return n * 2
    return d["x"]


@jax.jit
def tern(x, y):
    d = {"x": x, "y": y}
    n = jnp.sqrt(d["x"])
    d.update(x=d["x"] + 4.0)
    return n * 2 if y > 1.0 else d["x"]


@jax.jit
def tern2(x, y):
    d = {"x": x, "y": y}
    n = jnp.sqrt(d["x"])
    bump(d)
    return n * 2 if y > 1.0 else d["x"]


def norm(v):
    return jnp.sqrt(jnp.sum(v * v))


@jax.jit
def clip(v):
    n = norm(v)
    if n > 1.0:
        v = v / n
    return v


@jax.jit
def alias(x, y):
    d = {"x": x, "y": y}
    e = d
    n = jnp.sqrt(d["x"])
    e["x"] = d["x"] + 4.0
    if y > 1.0:
        return n * 2
    return d["x"]


def main():
    g = jax.grad(lambda v: jnp.sum(clip(v)))
    clipped = [g(jnp.zeros(2)), g(jnp.ones(2)), clip(jnp.ones(2))]
    functions = (attr, helper, tern, tern2, alias)
    return clipped + [f(4.0, y) for f in functions for y in (0.0, 2.0)]
