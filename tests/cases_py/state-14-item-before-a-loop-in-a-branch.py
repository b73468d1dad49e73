# /// case
# id = "state-14-item-before-a-loop-in-a-branch"
# kind = "traced-if"
# expect = "fix"
# findings = [16, 19, 27, 34]
# ///
"""What an item is before the branch counts, and not what the loop in it makes of it."""

import jax
import jax.numpy as jnp


@jax.jit
def settle(x, n):
    state = {"last": 0, "rounds": 0}
    if x > 1:
        x = -x
    else:
        for _ in range(n):
            state["last"] = x - 1.0
    return x, state


@jax.jit
def drift(x, step, n):
    own = {"a": 0, "b": 1.0}
    if x > 1:
        # The list is unrolled, and leaves the items alone.
        for factor in (0.5, -1.0):
            if factor < 0:
                continue
            x = x * factor
    else:
        for _ in range(n):
            own["a"] = x - own["b"]
            x += step
    return x, own


def main():
    pairs = [(x, n) for x in (0.5, 2.0) for n in (0, 1, 3)]
    settled = [settle(jnp.float32(x), jnp.int32(n)) for x, n in pairs]
    return settled, [drift(jnp.float32(x), 0.25, jnp.int32(n)) for x, n in pairs]
