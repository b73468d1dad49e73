# /// case
# id = "state-09-shared-attribute"
# kind = "traced-if"
# expect = "report"
# findings = [29, 39]
# ///
"""The dict that changes has another owner: it was given, or a method hands it out."""

import jax
import jax.numpy as jnp


class Given:
    def __init__(self, tags):
        self.tags = tags


class HandsOut:
    def __init__(self):
        self.tags = {"n": 1}
        self.log = [self.tags]


@jax.jit
def given(x):
    shared = {"n": 1}
    box = Given(shared)
    size = 0
    if x > 1.0:
        box.tags["n"] = 2
        size = shared["n"]
    return box.tags["n"], size


@jax.jit
def handed_out(x):
    box = HandsOut()
    size = 0
    if x > 1.0:
        box.tags["n"] = 2
        size = box.log[0]["n"]
    return box.tags["n"], size


def main():
    return [(given(jnp.float32(x)), handed_out(jnp.float32(x))) for x in (0.5, 3.0)]
