# /// case
# id = "recompile-05-jit-in-caller"
# kind = "recompile"
# expect = "fix"
# findings = [22]
# want = "[[[[0.8188613, 0.1811387], [0.1, 0.1225, 0.1493734]], [[0.6633918, 0.3366082], [0.2, 0.24, 0.2856]], [[0.317322, 0.682678], [0.5, 0.5625, 0.6240234]]], [[0.489041, 0.5109589], [0.1, 0.145, 0.2069875, 0.2890593, 0.3918113]], True]"
# oracle = "want"
# ///

"""The compiled helper is defined in its caller, so every call of the caller compiles it again."""

import functools

import jax
import jax.numpy as jnp
import numpy as np


def epidemic(state, rate=0.5, steps=5):
    """Fractions (susceptible, infected) after `steps` rounds."""

    @functools.partial(jax.jit, static_argnums=(2,))
    def roll(state, rate, steps):
        def infect(state, _):
            s, i = state
            new = rate * s * i
            return (s - new, i + new), i

        return jax.lax.scan(infect, state, None, length=steps)

    return roll(state, rate, steps)


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
    starts = [(np.float32(1.0 - i), np.float32(i)) for i in (0.1, 0.2, 0.5)]
    out, few = few_compiles(lambda: [epidemic(s, rate=0.25, steps=3) for s in starts])
    return [out, epidemic(starts[0]), few]
