# /// case
# id = "if-17-fields-of-two-types"
# kind = "traced-if"
# expect = "fix"
# findings = [31, 39, 46, 50]
# ///
"""Named tuples and dataclasses whose fields are Python numbers in one arm and arrays of another dtype in the other."""
import dataclasses
import functools
from typing import NamedTuple

import jax
import jax.numpy as jnp


class Step(NamedTuple):
    x: jax.Array
    n: int = 0


@functools.partial(jax.tree_util.register_dataclass, data_fields=["x", "n"], meta_fields=["unit"])
@dataclasses.dataclass
class Reading:
    x: jax.Array
    n: int = 0
    unit: str = "m"


@jax.jit
def start(x):
    if x > 0:
        return Step(x, 1)
    return Step(0)


@jax.jit
def reset(x):
    s = Step(x)
    if x > 0:
        s = s._replace(x=0, n=3)
    return s


@jax.jit
def read(x):
    if x > 0:
        r = Reading(x, 1)
    else:
        r = Reading(n=2, x=1)
    return {"r": r, "high": {"x": x, "n": 1} if x > 2 else {"n": 2, "x": 0}}


def main():
    values = [jnp.float32(x) for x in (-1.0, 1.0, 3.0)]
    reads = [read(x) for x in values]
    return [start(x) for x in values], [reset(x) for x in values], [(o["r"].x, o["r"].n, o["high"]) for o in reads]
