# /// case
# id = "helper-01-either-kind-of-bool"
# kind = "cross-function"
# expect = "report"
# findings = [34]
# ///
"""A comparison gives a Python bool for flags, and a tracer for arrays: which is not seen."""

import jax
import jax.numpy as jnp
import numpy as np


def tree_equal(a, b):
    flat, treedef = jax.tree_util.tree_flatten(a)
    other, other_treedef = jax.tree_util.tree_flatten(b)
    if treedef != other_treedef:
        return False
    same = True
    for x, y in zip(flat, other):
        if isinstance(x, (np.ndarray, jax.Array)):
            if x.shape != y.shape:
                return False
            same = same & jnp.all(x == y)
        elif x != y:
            return False
    return same


def settle(step, flags):
    """Flags that depend on others, one after the other, until nothing changes."""
    while True:
        new = step(flags)
        if tree_equal(flags, new):
            return flags
        flags = new


def make(step):
    @jax.jit
    def run(x):
        settle(step, {"a": False, "b": True})
        return x * 2.0

    return run


def main():
    run = make(lambda flags: {"a": flags["b"], "b": flags["b"]})
    return float(run(jnp.float32(1.5)))
