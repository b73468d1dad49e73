# /// case
# id = "recompile-06-captured-settings"
# kind = "recompile"
# expect = "fix"
# findings = [17]
# oracle = "want"
# want = "[[[[0.03622735, -0.4379978, -0.597398], [-0.1264452, -0.4897951, -0.563281], [1.540297, 0.4254735, -0.2140791], [0.299477, -0.3319457, -0.5377078]], [[-0.01350904, -0.553739], [-0.1598322, -0.9156032], [1.679134, 3.865752], [0.3620454, 0.3308407]]], True]"
# ///
"""What the local function captures is data for one part, settings for another: a depth, a mode, a function of JAX."""

import jax
import jax.numpy as jnp
import numpy as np


def encode(x, weights, depth, activation=jnp.tanh, mode="plain"):
    @jax.jit
    def run(x):
        out = jnp.zeros(depth)
        for k in range(depth):
            x = activation(weights @ x)
            if mode == "skip" and k % 2:
                x = x + out[0]
            out = out.at[k].set(x.sum())
        return out

    return run(x)


def few_compiles(run):
    """(result, whether `run` built at most four XLA programs)"""
    seen = []

    def note(event, secs, **_):
        if event.endswith("backend_compile_duration"):
            seen.append(secs)

    jax.clear_caches()
    jax.monitoring.register_event_duration_secs_listener(note)
    out = run()
    jax.monitoring.unregister_event_duration_listener(note)
    return out, len(seen) <= 4


def main():
    weights = np.float32([[0.5, -1.0], [0.25, 0.75]])
    xs = np.float32([[1, 2], [0, 1], [3, 0], [1, 1]])
    out, few = few_compiles(
        lambda: [
            [encode(x, weights, 3) for x in xs],
            [encode(x, weights, 2, jnp.sin, mode="skip") for x in xs],
        ]
    )
    return [out, few]
