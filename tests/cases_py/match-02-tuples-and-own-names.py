# /// case
# id = "match-02-tuples-and-own-names"
# kind = "traced-if"
# expect = "fix"
# findings = [15, 25, 38]
# ///
"""A tuple of traced and static values is matched; a captured name keeps its old value where its case is not taken."""
import jax
import jax.numpy as jnp


@jax.jit
def capture(n, x):
    k = 5
    match n:
        case 0:
            y = x * k
        case k:
            y = x + k
    return y, k


@jax.jit
def grade(p, x):
    match (p, x):
        case (0, v):
            y = v
        case (1, 2.0) | (2, _):
            y = x * 3.0
        case (q, v) if q > v:
            y = q + v
        case _:
            y = -x
    return y


@jax.jit
def by_rank(x, scale=2.0):
    match x.ndim, x.sum():
        case 1, 0:
            y = 0.5
        case n, s:
            y = n * s * scale
    return y


def main():
    pairs = [(jnp.int32(n), jnp.float32(x)) for n in range(5) for x in (2.0, 5.0)]
    rows = [jnp.array(v) for v in ([1.0, -1.0], [1.0, 2.0], [[3.0]], [[0.0]])]
    return [capture(*p) for p in pairs], [grade(*p) for p in pairs], [by_rank(r) for r in rows]
