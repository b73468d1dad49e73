# /// case
# id = "recompile-11-local-functions"
# kind = "recompile"
# expect = "fix"
# findings = [23, 32, 44]
# oracle = "want"
# want = "[[4.0, 6.0, 8.0, 14.0], [1.0, 1.75, 2.5, 4.75], [1.0, 1.5, 2.0, 3.5], [2.0, 0.5, 0.0, 4.5], True]"
# ///

import jax
import jax.numpy as jnp
import numpy as np


def sweep(xs, by):
    out = []
    for x in xs:
        # One value at a time.
        def moved(v):
            """Move, then double."""
            return (v + by) * 2.0

        out.append(jax.jit(moved)(x))
    return out


def smooth(xs, weight, rounds):
    def blend(v, last):
        kept = (1.0 - weight) * last
        return weight * v + kept

    step = jax.jit(blend)
    last = np.full_like(xs, xs[0])
    for _ in range(rounds):
        last = step(xs, last)
    return last


def squared(xs, centre):
    def apart(v):
        return (v - centre) ** 2 / 2.0 + jnp.sum(v) * 0.0

    # Kept under a name of its own.
    distance = jax.jit(apart)
    return distance(xs)


def few_compiles(run):
    """(result, whether `run` built at most three XLA programs)"""
    seen = []

    def note(event, secs, **_):
        if event.endswith("backend_compile_duration"):
            seen.append(secs)

    jax.clear_caches()
    jax.monitoring.register_event_duration_secs_listener(note)
    out = run()
    jax.monitoring.unregister_event_duration_listener(note)
    return out, len(seen) <= 3


def several(xs):
    out = [sweep(xs, 1.0)]
    for weight in np.float32([0.75, 0.5]):
        out.append(smooth(xs, weight, 1))
    for centre in xs[:1] + 2.0:
        out.append(squared(xs, centre))
    return out


def main():
    out, few = few_compiles(lambda: several(np.float32([1.0, 2.0, 3.0, 6.0])))
    return [*out, few]
