# /// case
# id = "recompile-15-loss-differentiated-in-a-loop"
# kind = "recompile"
# expect = "fix"
# findings = [20]
# grad = true
# oracle = "want"
# want = "[5.75, [-2.0, -8.0], 0.296875, [1.125, -0.25], 0.5455322, [-0.390625, -0.96875], 1.591452, [4.697266, 1.431641], True]"
# ///
"""A generator defines and jits a loss in its loop, and only differentiates it."""
import jax
import jax.numpy as jnp
import numpy as np


def losses(params, batches, penalties):
    """Loss and slope of each batch, while the parameters follow the slope."""
    for batch, penalty in zip(batches, penalties):

        @jax.jit
        def loss(p):
            gap = batch @ p - 1.0
            return jnp.mean(gap**2) + penalty * jnp.sum(p**2)

        value, slope = jax.value_and_grad(loss)(params)
        yield value, slope
        params = params - 0.125 * slope


def few_compiles(run):
    """(result, whether `run` built few XLA programs)"""
    seen = []

    def note(event, secs, **_):
        if event.endswith("backend_compile_duration"):
            seen.append(secs)

    jax.clear_caches()
    jax.monitoring.register_event_duration_secs_listener(note)
    out = run()
    jax.monitoring.unregister_event_duration_listener(note)
    return out, len(seen) <= 9


def main():
    batches = np.float32([[[1, 2], [0, 1]], [[2, 0], [1, 1]], [[0, 1], [1, 0]], [[3, 1], [0, 0]]])
    penalties = np.float32([0.5, 0.25, 0.0, 1.0])
    start = np.float32([0.5, -1.0])
    out, few = few_compiles(lambda: list(losses(start, batches, penalties)))
    return [out, few]
