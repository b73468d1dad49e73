# /// case
# id = "state-16-counters-and-elements"
# kind = "side-effect-state"
# expect = "report"
# findings = [23, 24, 33]
# ///
"""A counter that counts words, and a list that a dict of lists gives, in a helper. What
counts and collects in the trace itself is no one else's."""

import collections

import jax
import jax.numpy as jnp

seen = collections.Counter()
latest = {}
options = {}


def note(name, value):
    options.update([("last", name)])
    options.update({"kind": "sum"})
    seen.update([name])
    latest.setdefault(name, []).append(value)


@jax.jit
def score(params, x):
    total, groups, sizes = 0.0, {}, collections.Counter()
    for name in sorted(params):
        part = jnp.sum(params[name] * x)
        note(name, part)
        latest.get("all", []).append(name)
        groups.setdefault(name[0], []).append(part)
        sizes.update(name)
        total = total + part * sizes[name]
    return total, {first: sum(parts) for first, parts in groups.items()}


def main():
    seen.clear()
    latest.clear()
    latest["all"] = []
    params = {"a": jnp.array([1.0, 2.0]), "b": jnp.array([0.5, 0.0])}
    return [score(params, jnp.ones(2)), score(params, jnp.zeros(2)), sum(seen.values())]
