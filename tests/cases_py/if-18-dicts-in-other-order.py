# /// case
# id = "if-18-dicts-in-other-order"
# kind = "traced-if"
# expect = "fix"
# findings = [14]
# ///
"""Both arms build the state anew, with the keys in another order, a nested list, an int beside a float, and None."""
import jax
import jax.numpy as jnp


@jax.jit
def restart(state, tol):
    if state["err"] > tol:
        state = {"err": state["err"] * 0.5, "path": [state["path"][1], tol], "note": None, "k": state["k"] + 1}
    else:
        state = {"k": 0.5, "note": None, "path": [*reversed(state["path"])], "err": 0}
    return state


def main():
    start = {"err": jnp.float32(4.0), "k": jnp.int32(3), "path": [jnp.float32(1.0), jnp.float32(2.0)], "note": None}
    return [restart(start, jnp.float32(t)) for t in (1.0, 4.0, 9.0)]
