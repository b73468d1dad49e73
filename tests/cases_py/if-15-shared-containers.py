# /// case
# id = "if-15-shared-containers"
# kind = "traced-if"
# expect = "report"
# findings = [16, 27, 39, 50, 65]
# ///
"""What changes in the branch is held from outside, or by another name."""

import jax
import jax.numpy as jnp


@jax.jit
def own_conflict(x):
    d = {"k": 1.0}
    if x > 0:
        d = {"k": x}
        d["k"] += 1
    else:
        d["k"] = 7.0
    return d


@jax.jit
def own_alias_inside(x):
    y = x
    if x > 0:
        d = [x, 1.0]
        e = d
        e.append(2.0)
        y = sum(d)
    return y


@jax.jit
def own_of_outer_item(x):
    outer = [[x], [0.0]]
    y = x
    if x > 0:
        d = [outer[0], 1.0]
        d[0].append(2.0)
        y = sum(d[0])
    return y, outer


@jax.jit
def escapes(x):
    box = []
    y = x
    if x > 0:
        d = [x]
        box.append(d)
        d.append(1.0)
        y = sum(box[0])
    return y, len(box)


@jax.jit
def via_helper(x):
    def fill(out, v):
        out.append(v)
        return out

    y = x
    if x > 0:
        d = [x]
        d = fill(d, 3.0)
        y = sum(d)
    return y


def main():
    numbers = [jnp.float32(x) for x in (-2.0, 0.5, 3.0)]
    found = [(own_conflict(x), own_alias_inside(x), via_helper(x)) for x in numbers]
    return found, [(own_of_outer_item(x), escapes(x)) for x in numbers]
