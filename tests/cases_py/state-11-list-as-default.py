# /// case
# id = "state-11-list-as-default"
# kind = "side-effect-state"
# expect = "report"
# findings = [14]
# ///
"""A list that is the default of a helper's parameter is one list for all calls."""

import jax
import jax.numpy as jnp


def record(value, log=[]):
    log.append(value)
    return len(log)


@jax.jit
def smooth(state, x):
    state = 0.5 * (state + x)
    count = record(state)
    return state / count


def main():
    out = [smooth(jnp.float32(0.0), jnp.float32(v)) for v in (1.0, 2.0, 4.0)]
    return out
