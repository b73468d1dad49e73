# /// case
# id = "table-07-cells-that-others-see"
# kind = "traced-if"
# expect = "report"
# findings = [17, 30]
# ///
"""A cell of a row that has another name, or that a branch reads again after the store."""

import jax
import jax.numpy as jnp


@jax.jit
def by_another_name(x):
    rows = [[0.0, 1.0], [2.0, 3.0]]
    first = rows[0]
    if x > 0:
        rows[0][1] = x
        total = first[1] * 2
    else:
        rows[0][1] = -x
        total = first[1]
    return rows[0][1], total


@jax.jit
def one_key_more(x):
    found = {"inner": {"value": 1.0}}
    for key in ("value", "other"):
        if x > 0:
            found["inner"][key] = x
    return found


def main():
    return [f(jnp.float32(x)) for f in (by_another_name, one_key_more) for x in (1, 2)]
