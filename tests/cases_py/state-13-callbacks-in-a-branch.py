# /// case
# id = "state-13-callbacks-in-a-branch"
# kind = "side-effect-state"
# expect = "report"
# findings = [30]
# ///
"""What is called in the branch is the caller's, and stores what it is given."""

from functools import partial

import jax
import jax.numpy as jnp


class Log:
    def __init__(self):
        self.rows = []

    def __call__(self, x):
        self.rows.append(x)


def make_hill_climb(score, hooks):
    """The hooks may do anything."""

    @jax.jit
    def climb(x, step):
        trial = x + step
        # All of them, or none.
        if score(trial) > score(x):
            hooks[0](trial)
            hooks[1](trial)
            hooks[2](trial)
            x = trial
        return x

    return climb


def note(out, x):
    out.append(x)


def main():
    seen, log = [], Log()
    hooks = (lambda x: seen.append(float(x)), partial(note, seen), log)
    climb = make_hill_climb(lambda x: -((x - 2.0) ** 2), hooks)
    ends = [climb(jnp.float32(0.0), s) for s in (1.0, -1.0, 3.0, 5.0)]
    return [*ends, len(seen), len(log.rows)]
