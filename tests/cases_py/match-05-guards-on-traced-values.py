# /// case
# id = "match-05-guards-on-traced-values"
# kind = "traced-if"
# expect = "fix"
# findings = [15, 25]
# ///
"""What is matched is a tuple of names, or a word; only the guards ask a traced value."""

import jax
import jax.numpy as jnp


@jax.jit
def spread(x, y):
    match (x, y):
        case (p, q) if p > q:
            out = p - q
        case (p, q):
            out = q + p
    return out


def move(kind, x):
    # Only the first case looks at x.
    match kind:
        case "up" if x > 1.0:
            return x * 2.0
        case "up" | "down":
            return x
        case _:
            return -x


move_fast = jax.jit(move, static_argnums=0)


@jax.jit
def by_structure(x):
    match jnp.sum(x):
        case (p, q):
            return p + q
        case {"x": v}:
            return v
        case None:
            return 0.0
        case v:
            return v * 2.0


def main():
    pairs = [spread(jnp.float32(p), jnp.float32(q)) for p, q in ((1, 2), (2, 1))]
    kinds = ("up", "down", "no")
    moves = [move_fast(k, jnp.float32(x)) for k in kinds for x in (0.5, 2.0)]
    return [*pairs, *moves, by_structure(jnp.ones(3))]
