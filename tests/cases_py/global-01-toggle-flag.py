# /// case
# id = "global-01-toggle-flag"
# kind = "global-capture"
# expect = "fix"
# findings = [17]
# ///
"""A module flag is switched by a function between two calls of compiled code."""

import jax
import jax.numpy as jnp

training = True


@jax.jit
def forward(x):
    return jnp.where(training, x * 0.5, x)


def set_training(value):
    global training
    training = value


def main():
    x = jnp.array([2.0, -4.0])
    set_training(True)
    first = forward(x)
    set_training(False)
    second = forward(x)
    return [first, second]
