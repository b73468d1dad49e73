# /// case
# id = "cast-03-static-int-clean"
# kind = "concretize-cast"
# expect = "clean"
# findings = []
# ///
"""`int` and `float` of shapes and Python numbers."""

import jax
import jax.numpy as jnp


@jax.jit
def halves(x):
    middle = int(x.shape[0] / 2)
    scale = float(x.size) ** 0.5
    return x[:middle] / scale, x[middle:] * int("3")


def main():
    return [halves(jnp.arange(4.0)), halves(jnp.arange(5.0))]
