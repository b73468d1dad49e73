# /// case
# id = "mutable-04-word-and-depth-of-options"
# kind = "mutable-capture"
# expect = "fix"
# findings = [15, 22, 24]
# ///

import jax
import jax.numpy as jnp

OPTIONS = {"norm": "l2", "weight": 0.1, "terms": 2}


def penalty(w):
    if OPTIONS["norm"] == "l1":
        return jnp.sum(jnp.abs(w))
    return jnp.sum(w**2)


@jax.jit
def objective(w, x, y):
    powers = jnp.stack([x**k for k in range(OPTIONS["terms"])], axis=-1)
    misfit = jnp.mean((powers @ w - y) ** 2)
    return misfit + OPTIONS["weight"] * penalty(w)


def main():
    OPTIONS.update(norm="l2", weight=0.1, terms=2)
    x, y = jnp.array([0.0, 1.0, 2.0]), jnp.array([1.0, 2.0, 0.0])
    w = jnp.array([0.5, -2.0])
    out = [objective(w, x, y)]
    OPTIONS["norm"] = "l1"
    out.append(objective(w, x, y))
    OPTIONS["weight"] *= 3.0
    out.append(objective(w, x, y))
    OPTIONS["norm"], OPTIONS["weight"] = "l2", 0.0
    out.append(objective(w, x, y))
    OPTIONS["terms"] = 1
    out.append(objective(w[:1], x, y))
    return out
