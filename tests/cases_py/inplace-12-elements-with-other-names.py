# /// case
# id = "inplace-12-elements-with-other-names"
# kind = "inplace-update"
# expect = "report"
# findings = [15, 22]
# ///

import jax
import jax.numpy as jnp


@jax.jit
def nudged(x, i):
    rows = [x[0], x[1]]
    rows[0][i] = 9.0
    return rows[0], x


@jax.jit
def stepped(x, i):
    state = {"x": x, "y": x + 1}
    state["x"][i] = 9.0
    return state, x


def main():
    x = jnp.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    return [nudged(x, 1), stepped(x[0], 1)]
