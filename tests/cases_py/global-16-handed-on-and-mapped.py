# /// case
# id = "global-16-handed-on-and-mapped"
# kind = "method"
# expect = "fix"
# findings = [19, 39, 42]
# oracle = "eager"
# ///
"""Functions and methods that read what changes are handed on, mapped and bound in part."""
import functools

import jax
import jax.numpy as jnp
from jax import lax

offset = 1.0


def shifted(x):
    return x + offset


@jax.jit
def table(xs):
    def body(carry, row):
        return carry + 1, jax.vmap(shifted)(row)

    total, rows = lax.scan(body, 0, xs)
    return rows, lax.map(shifted, xs), lax.map(jax.vmap(shifted), xs), total


class Chain:
    def __init__(self, rate):
        self.rate = rate

        self.run = jax.jit(self._run)
        self.rows = jax.jit(self._rows)

    def _step(self, i, x):
        return x - self.rate * x * i

    def _pick(self, x):
        return x * self.rate

    def _run(self, x, n=3):
        x = lax.fori_loop(0, n, self._step, x)
        x = lax.cond(x[0] > 0, self._pick, jnp.negative, x)
        return lax.while_loop(lambda v: v[0] > 10.0, self._pick, x)

    def _rows(self, xs):
        powers = lax.map(functools.partial(self._step, 2), xs)
        return powers, jax.vmap(self._pick)(xs), jax.tree.map(self._pick, {"a": xs})


def main():
    global offset
    xs = jnp.array([[1.0, -2.0], [3.0, 40.0]])
    chain = Chain(0.5)
    out = []
    for k in range(3):
        offset = 2.0 * k
        chain.rate = 0.25 * (k + 1)
        out.append([table(xs), chain.run(xs[0]), chain.run(4.0 * xs[1], 1), chain.rows(xs)])
    return out
