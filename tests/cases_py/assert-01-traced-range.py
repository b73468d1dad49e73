# /// case
# id = "assert-01-traced-range"
# kind = "traced-assert"
# expect = "report"
# findings = [16]
# ///
"""An assertion on values, between assertions on shapes."""

import jax
import jax.numpy as jnp


@jax.jit
def log_ratio(p, q):
    assert p.shape == q.shape, "shapes differ"
    assert jnp.all(q > 0.0), "q must be positive"
    return jnp.log(p / q)


def main():
    return [log_ratio(jnp.array([1.0, 2.0]), jnp.array([2.0, 4.0]))]
