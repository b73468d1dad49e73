# /// case
# id = "iter-06-first-that-passes"
# kind = "traced-bool-op"
# expect = "fix"
# findings = [14, 15]
# ///
"""next() over a generator expression with a traced filter: the first value above the limit, or a default; and its place."""
import jax
import jax.numpy as jnp


@jax.jit
def onset(samples, limit):
    level = next((s for s in samples if s > limit), -1.0)
    at = next((i for i, s in enumerate(samples) if s > limit), len(samples))
    return level, at


def main():
    rows = ([0.0, 2.0, 3.0], [4.0, 0.0, 5.0], [0.0, 0.0, 0.5])
    return [onset(jnp.array(r, jnp.float32), jnp.float32(1.0)) for r in rows]
