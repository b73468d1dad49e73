# /// case
# id = "print-01-format-and-sep"
# kind = "side-effect-print"
# expect = "fix"
# findings = [18, 19]
# oracle = "want"
# want = "[[3, 7], ['x:1:y:2', 'z=3', 'x:3:y:4', 'z=7']]"
# ///
"""Several values with a separator, and the `%` operator."""

import jax
import jax.numpy as jnp


@jax.jit
def trace_step(x, y):
    z = x + y
    print("x", x, "y", y, sep=":")
    print("z=%s" % z)
    return z


def main():
    import contextlib
    import io

    shown = io.StringIO()
    with contextlib.redirect_stdout(shown):
        values = [trace_step(jnp.int32(a), jnp.int32(b)) for a, b in ((1, 2), (3, 4))]
        jax.effects_barrier()
    return [values, shown.getvalue().split("\n")[:-1]]
