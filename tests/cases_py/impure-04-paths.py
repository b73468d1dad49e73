# /// case
# id = "impure-04-paths"
# kind = "impure-call"
# expect = "report"
# findings = [22, 23]
# ///

import pathlib
import tempfile

import jax
import jax.numpy as jnp

TRACE = pathlib.Path(tempfile.gettempdir()) / "descent.csv"


@jax.jit
def descend(x, rate):
    for step in range(3):
        grad = jax.grad(lambda v: jnp.sum(v**4))(x)
        x = x - rate * grad
        with TRACE.open("a") as stream:
            stream.write(f"{step},{x.shape}\n")
    return x


def main():
    TRACE.write_text("")
    out = [descend(jnp.array([1.0, -1.0]), 0.1), descend(jnp.array([0.5, 2.0]), 0.1)]
    lines = TRACE.read_text().splitlines()
    TRACE.unlink()
    return [out, len(lines)]
