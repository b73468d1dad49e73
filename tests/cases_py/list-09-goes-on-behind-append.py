# /// case
# id = "list-09-goes-on-behind-append"
# kind = "accumulate-list"
# expect = "fix"
# findings = [19, 32, 36, 51, 70]
# ///
"""Every branch appends once, but goes on counting behind it; or appends to two lists."""

import jax
import jax.numpy as jnp


@jax.jit
def collapse(tokens, blank=0):
    prev = blank
    out = []
    kept = 0
    for token in tokens:
        if token != blank and token != prev:
            out.append(token)
            kept += 1
        else:
            out.append(-1)
        prev = token
    return jnp.array(out), kept


@jax.jit
def split(xs, limit):
    low, high, balance = [], [], 0
    for x in xs:
        if x < limit:
            low.append(x)
            high.append(0.0)
            balance += 1
            if x < 0:
                balance += 10
        else:
            low.append(0.0)
            high.append(x)
            balance -= 1
    return jnp.array(low), jnp.stack(high), balance


@jax.jit
def runs(xs):
    out = []
    length = 0
    last = xs[0]
    for x in xs:
        if x == last:
            length += 1
            out.append(length)
        elif x > last:
            out.append(-length)
            length = 1
            last = x
        else:
            out.append(0)
            length = 0
            last = x
    return jnp.array(out)


@jax.jit
def before_a_continue(xs):
    out = []
    total = 0.0
    for x in xs:
        if x > 1:
            out.append(total)
            total = total + x
            continue
        y = x * 2
        out.append(y)
        total = total - y
    return jnp.array(out), total


def main():
    xs = jnp.array([1.0, -2.0, 3.0, 3.0, 0.5])
    paths = ([0, 1, 1, 0, 1, 2], [0, 0, 0], [2, 2, 2, 2], [1])
    return [
        [collapse(jnp.array(path)) for path in paths],
        [split(xs, limit) for limit in (1.0, -5.0)],
        runs(xs),
        before_a_continue(xs),
    ]
