# /// case
# id = "ternary-06-in-comprehensions"
# kind = "traced-ternary"
# expect = "fix"
# findings = [14, 15, 16, 17]
# ///
"""Conditional values inside a dict comprehension, a nested list comprehension and a generator handed to sum and to dict()."""
import jax
import jax.numpy as jnp


@jax.jit
def clean(params, grid):
    pos = {k: v if v > 0 else 0.0 for k, v in params.items()}
    peak = [[a if a > b else b for a, b in zip(row, row[1:])] for row in grid]
    score = sum(1.0 if v > 1.0 else v * 0.5 for v in params.values())
    named = dict((k.upper(), (n, -v if v < 0 else v)) for n, (k, v) in enumerate(params.items()))
    return pos, jnp.array(peak), score, named


def main():
    grid = jnp.array([[1.0, 3.0, 2.0], [0.0, -1.0, 4.0]], jnp.float32)
    sets = ({"a": 2.0, "b": -1.0}, {"a": -0.5, "b": 0.5})
    return [clean({k: jnp.float32(v) for k, v in s.items()}, grid) for s in sets]
