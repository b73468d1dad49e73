# /// case
# id = "mutable-06-weights-of-terms"
# kind = "mutable-capture"
# expect = "fix"
# findings = [24]
# grad = true
# oracle = "eager"
# ///

import jax
import jax.numpy as jnp

TERMS = {
    "l1": lambda w: jnp.sum(jnp.abs(w)),
    "l2": lambda w: jnp.sum(w**2),
    "edge": lambda w: jnp.sum(jnp.diff(w) ** 2),
}
weights = {"l2": 0.5}


def penalty(w):
    """Weighted sum of the terms that are switched on."""
    total = 0.0
    for name, weight in weights.items():
        total = total + weight * TERMS[name](w)
    return total


@jax.jit
def objective(w, target):
    return jnp.sum((w - target) ** 2) + penalty(w)


def main():
    weights.clear()
    weights["l2"] = 0.5
    w, target = jnp.array([1.0, -2.0, 0.5]), jnp.zeros(3)
    out = [objective(w, target), jax.grad(objective)(w, target)]
    weights["l2"] = 0.0
    out.append(objective(w, target))
    weights["edge"] = 2.0
    out += [objective(w, target), jax.grad(objective)(w, target)]
    del weights["l2"]
    weights.update(l1=1.0)
    out.append(objective(w, target=target))
    return out
