# /// case
# id = "list-04-append-in-both-branches"
# kind = "accumulate-list"
# expect = "fix"
# findings = [18, 30, 44]
# ///
"""Both branches end with an append to the same list: it stays, with one value."""

import jax
import jax.numpy as jnp


@jax.jit
def e(xs):
    out = []
    for x in xs:
        # keep the size
        if x > 0:
            out.append(x)  # as it is
        else:
            y = -x
            out.append(y * y)  # squared
    return jnp.stack(out)


@jax.jit
def f(xs):
    out, n = [], 0
    for x in xs:
        if x > 0:
            n += 1
            out.append((x, 1))
        elif x < -1:
            out.append((-1.0, n))
        else:
            out.append((0.0, 0))
    return out, n


@jax.jit
def g(xs, k):
    seen = {}
    for i, x in enumerate(xs):
        if x > k:
            seen.update({i: x})
        else:
            seen.update({i: 0.0})
    return seen


def main():
    return [p(jnp.array([1.0, -2.0, 0.0])) for p in (e, f)], g(jnp.array([1.0, 3.0]), 2.0)
