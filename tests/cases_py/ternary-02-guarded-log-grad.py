# /// case
# id = "ternary-02-guarded-log-grad"
# kind = "traced-ternary"
# expect = "fix"
# findings = [16]
# grad = true
# ///
"""The untaken side is not differentiable at the point: its gradient must not leak as NaN."""

import jax
import jax.numpy as jnp


@jax.jit
def entropy_term(p):
    return -p * jnp.log(p) if p > 0.0 else 0.0


def main():
    slope = jax.grad(entropy_term)
    points = [jnp.float32(p) for p in (0.25, 1.0, 0.0)]
    return [[entropy_term(p), slope(p)] for p in points]
