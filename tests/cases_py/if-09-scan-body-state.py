# /// case
# id = "if-09-scan-body-state"
# kind = "traced-if"
# expect = "fix"
# findings = [16, 18]
# ///
"""The body of a scan branches on a part of its carry; only the carry says that it is traced."""

import jax
import jax.numpy as jnp


def debounce(signal, hold):
    def body(carry, sample):
        level, waiting = carry
        if sample != level:
            waiting = waiting + 1
            if waiting >= hold:
                level, waiting = sample, jnp.int32(0)
        else:
            waiting = jnp.int32(0)
        return (level, waiting), level

    start = (signal[0], jnp.int32(0))
    return jax.lax.scan(body, start, signal)[1]


def main():
    signal = jnp.array([0, 1, 0, 1, 1, 1, 0, 0, 1])
    return [debounce(signal, 2), debounce(signal, 1), debounce(signal, 3)]
