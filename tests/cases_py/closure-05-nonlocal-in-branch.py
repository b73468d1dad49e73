# /// case
# id = "closure-05-nonlocal-in-branch"
# kind = "traced-if"
# expect = "fix"
# findings = [20]
# ///
"""A nested helper changes two names of the enclosing function; the change happens under a traced test."""
import jax
import jax.numpy as jnp


@jax.jit
def queue(load, capacity):
    waiting = 0.0
    dropped = 0

    def arrive(amount):
        nonlocal waiting, dropped
        waiting = waiting + amount
        if waiting > capacity:
            dropped += 1
            waiting = capacity
        return waiting

    first = arrive(load)
    second = arrive(2.0 * load)
    return first, second, waiting, dropped


def main():
    return [queue(jnp.float32(a), jnp.float32(c)) for a, c in ((1.0, 10.0), (4.0, 10.0), (11.0, 10.0))]
