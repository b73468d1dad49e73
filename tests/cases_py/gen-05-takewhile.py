# /// case
# id = "gen-05-takewhile"
# kind = "dynamic-shape"
# expect = "report"
# findings = [16, 17]
# ///
"""takewhile and filter decide by traced values how many elements go on."""
import itertools

import jax
import jax.numpy as jnp


@jax.jit
def rising(xs):
    head = list(itertools.takewhile(lambda v: v < 3.0, xs))
    kept = list(filter(lambda v: v > 1.0, xs))
    return head, kept


def main():
    return [rising(jnp.array(v)) for v in ([1.0, 2.0, 3.0], [4.0, 1.0, 2.0])]
