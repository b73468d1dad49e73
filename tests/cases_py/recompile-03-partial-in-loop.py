# /// case
# id = "recompile-03-partial-in-loop"
# kind = "recompile"
# expect = "fix"
# findings = [24]
# want = "[[[-1.0, 0.5], [-0.9, 0.45], [-0.675, 0.3375], [-0.3375, 0.16875]], True]"
# oracle = "want"
# ///

import functools

import jax
import jax.numpy as jnp
import numpy as np


def relax(rate, w, target):
    return w + rate * (target - w)


def train(w, rates, target):
    history = []
    for rate in rates:
        step = jax.jit(functools.partial(relax, rate))
        w = step(w, target)
        history.append(w)
    return history


def few_compiles(run):
    seen = []

    def note(event, secs, **_):
        if event.endswith("backend_compile_duration"):
            seen.append(secs)

    jax.clear_caches()
    jax.monitoring.register_event_duration_secs_listener(note)
    out = run()
    jax.monitoring.unregister_event_duration_listener(note)
    return out, len(seen) <= 2


def main():
    w = np.float32([-1.0, 0.5])
    target = np.float32([0.0, 0.0])
    rates = [np.float32(r) for r in (0.0, 0.1, 0.25, 0.5)]
    out, few = few_compiles(lambda: train(w, rates, target))
    return [out, few]
