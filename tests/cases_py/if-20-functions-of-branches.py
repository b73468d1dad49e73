# /// case
# id = "if-20-functions-of-branches"
# kind = "traced-if"
# expect = "report"
# findings = [13, 30]
# ///
"""A function that a branch defines for what comes after it cannot come out of compiled code."""
import jax
import jax.numpy as jnp


@jax.jit
def respond(x):
    if x > 0:

        def act(v):
            return v * 2
    else:

        def act(v):
            return v - 1

    return act(x)


@jax.jit
def softened(x, cap):
    def act(v):
        return v

    if x > cap:

        def act(v):
            return cap + jnp.log(v / cap)

    return act(x)


def main():
    return [respond(jnp.float32(v)) for v in (1.0, -1.0)] + [softened(jnp.float32(3.0), 2.0)]
