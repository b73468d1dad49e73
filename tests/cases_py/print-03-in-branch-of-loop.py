# /// case
# id = "print-03-in-branch-of-loop"
# kind = "side-effect-print"
# expect = "fix"
# findings = [18, 19, 20]
# oracle = "want"
# want = "[[3, 2], ['even 0', 'even 2', 'even 0']]"
# ///
"""A print under a traced test in a loop: it must show when the branch is taken, in order."""

import jax
import jax.numpy as jnp


@jax.jit
def scan_even(count):
    odd = 0
    for i in range(count):
        if i % 2 == 0:
            print(f"even {i}")
        else:
            odd += 1
    return count - odd


def main():
    import contextlib
    import io

    shown = io.StringIO()
    with contextlib.redirect_stdout(shown):
        first = scan_even(jnp.int32(4)) + 1
        jax.effects_barrier()
        second = scan_even(jnp.int32(2)) + 1
        jax.effects_barrier()
    return [[first, second], shown.getvalue().split("\n")[:-1]]
