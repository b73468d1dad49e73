# /// case
# id = "print-02-static-message-clean"
# kind = "side-effect-print"
# expect = "clean"
# findings = []
# ///
"""`jax.debug.print` is right in compiled code, and so is `print` on the host."""

import jax
import jax.numpy as jnp


@jax.jit
def norm(x):
    y = jnp.sqrt(jnp.sum(x * x))
    jax.debug.print("norm {y:.3f}", y=y)
    return y


def main():
    result = norm(jnp.array([3.0, 4.0]))
    print("result", float(result))
    return [result]
