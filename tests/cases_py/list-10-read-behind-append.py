# /// case
# id = "list-10-read-behind-append"
# kind = "accumulate-list"
# expect = "report"
# findings = [16, 29, 45]
# ///
"""The list is read behind the `append` in a branch: what is read there is not chosen yet."""

import jax
import jax.numpy as jnp


@jax.jit
def widths(x, scale):
    out = [1.0]
    if scale > 0:
        out.append(scale)
        total = sum(out)
    else:
        out.append(-scale)
        total = len(out) * x
    return jnp.array(out), total


@jax.jit
def by_another_name(x, scale):
    out = [1.0]
    same = out
    if scale > 0:
        out.append(scale)
        last = same[-1]
    else:
        out.append(-scale)
        last = x
    return jnp.array(out), last


@jax.jit
def by_a_function(x, scale):
    out = [1.0]

    def count():
        return len(out) * x

    if scale > 0:
        out.append(scale)
        total = count()
    else:
        out.append(-scale)
        total = x
    return jnp.array(out), total


def main():
    calls = (widths, by_another_name, by_a_function)
    return [f(jnp.float32(2.0), s) for f in calls for s in (3.0, -3.0)]
