# /// case
# id = "recompile-10-step-made-in-a-loop"
# kind = "recompile"
# expect = "fix"
# findings = [24]
# oracle = "want"
# want = "[[0.9, -0.6], [1.189706, -0.1902944], [1.327882, 0.08605888], [1.313624, 0.04572914], True]"
# ///

import jax
import jax.numpy as jnp
import numpy as np


def cost(w, x, y, order):
    return jnp.mean((jnp.sum(w * x**order) - y) ** 2)


def fit(w, x, y, rounds):
    history = []
    for k in range(rounds):
        order = np.float32(k * 0.5)

        @jax.jit
        def step(w):
            grads = jax.grad(cost)(w, x, y, order)
            return w - np.float32(0.1) * grads

        w = step(w)
        history.append(w)
    return history


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
    w, x = np.float32([0.5, -1.0]), np.float32([1.0, 2.0])
    out, few = few_compiles(lambda: fit(w, x, np.float32(1.5), 4))
    return [out, few]
