# /// case
# id = "bool-07-extremes-of-containers"
# kind = "traced-bool-op"
# expect = "fix"
# findings = [15, 16, 22, 23]
# ///
"""max, sorted and min with a key over the values of a dict, a list and a tuple of traced numbers."""
import jax
import jax.numpy as jnp


@jax.jit
def ranked(scores, target):
    sizes = [jnp.abs(v) for v in scores.values()]
    low, *_, top = sorted(scores.values())
    return max(scores.values()), low, top, min(sizes, key=lambda v: jnp.abs(v - target))


@jax.jit
def picked(a, b, c):
    cands = (a, b, c)
    strongest = max(cands, key=lambda v: v * v)
    return strongest, min(cands, key=abs)


def main():
    scores = {"a": jnp.float32(3.0), "b": jnp.float32(-1.0), "c": jnp.float32(-7.0)}
    rows = [(x, y, 1.0) for x in (-3.0, 2.0) for y in (-3.0, 5.0, 0.0)]
    return [ranked(scores, jnp.float32(t)) for t in (0.0, 2.5, 9.0)], [picked(*map(jnp.float32, r)) for r in rows]
