# /// case
# id = "table-07-cells-of-a-list-reported"
# kind = "traced-if"
# expect = "report"
# findings = [17, 30, 39, 48]
# ///
"""A row has another name, a key may not be there yet, or a cell holds no number."""

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


@jax.jit
def no_numbers(x):
    rows = [["empty"] * 2 for _ in range(2)]
    for i in range(2):
        if x > i:
            rows[i][0] = x
    return x


@jax.jit
def not_there_yet(x):
    rows = [[None] * 2 for _ in range(2)]
    for i in range(2):
        if x > i:
            rows[i][0] = x
    return rows[0][0]


def main():
    calls = (by_another_name, one_key_more, no_numbers, not_there_yet)
    return [f(jnp.float32(x)) for f in calls for x in (1, 2)]
