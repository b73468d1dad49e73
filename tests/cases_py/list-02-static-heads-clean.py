# /// case
# id = "list-02-static-heads-clean"
# kind = "accumulate-list"
# expect = "clean"
# findings = []
# ///
"""A short list over static structure: layers of different widths cannot be one scan."""

import jax
import jax.numpy as jnp


@jax.jit
def pyramid(x):
    levels = []
    for stride in (1, 2, 4):
        levels.append(x[::stride].sum())
    means = [w.mean() for w in (x, x[1:], x[2:])]
    return jnp.stack(levels), jnp.array(means)


def main():
    return [pyramid(jnp.arange(8.0)), pyramid(jnp.ones(4))]
