# /// case
# id = "for-05-gradient-through-loop"
# kind = "traced-for"
# expect = "report"
# findings = [14]
# ///
"""A traced bound under `grad`: a while loop has no reverse mode, so no fix keeps the gradient."""

import jax
import jax.numpy as jnp


def rollout(x, steps):
    for _ in range(steps):
        x = x * 0.5 + jnp.sin(x)
    return x


slope = jax.jit(jax.grad(rollout))


def main():
    return [slope(jnp.float32(1.0), jnp.int32(n)) for n in (0, 3)]
