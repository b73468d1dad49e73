# /// case
# id = "recompile-07-mapped-lambda"
# kind = "recompile"
# expect = "fix"
# findings = [21, 26]
# oracle = "want"
# want = "[[[[1.0, 0.6065307, 0.082085], [[0.0, 0.0], [0.0, 0.0], [0.0, 0.0]]], [[0.6065307, 1.0, 0.1353353], [[-2.0, 0.0], [0.0, 0.0], [0.0, 4.0]]], [[0.082085, 0.1353353, 1.0], [[-4.0, -8.0], [0.0, -8.0], [0.0, 0.0]]]], True]"
# ///
"""A lambda under `vmap` and `grad` that is jitted at each call: what it captures is not mapped."""

import jax
import jax.numpy as jnp
import numpy as np


def kernel(x, y, width):
    return jnp.exp(-jnp.sum((x - y) ** 2) / width)


def column(points, centre, width=2.0):
    near = jax.jit(jax.vmap(lambda p: kernel(p, centre, width)))
    return near(points)


def slopes(points, targets, weight):
    return jax.jit(jax.vmap(jax.grad(lambda p, t: weight * jnp.sum((p - t) ** 2)), in_axes=(0, None)))(points, targets)


def few_compiles(run):
    """(result, whether `run` built at most two XLA programs)"""
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
    points = np.float32([[0, 0], [1, 0], [1, 2]])
    out, few = few_compiles(
        lambda: [[column(points, c), slopes(points, c, np.float32(k))] for k, c in enumerate(points)]
    )
    return [out, few]
