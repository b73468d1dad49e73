# /// case
# id = "while-16-do-while-and-lag"
# kind = "break-continue"
# expect = "fix"
# findings = [19]
# ///
"""A do-while loop: the test stands at the end, between the update and what is only done when it goes on."""
import jax
import jax.numpy as jnp


@jax.jit
def secant(a, b, tol):
    fa = a**3 - 2.0
    rounds = 0
    while True:
        fb = b**3 - 2.0
        rounds += 1
        if jnp.abs(fb) <= tol or rounds == 8:
            break
        a, b, fa = b, b - fb * (b - a) / (fb - fa), fb
    else:
        rounds = -1
    return b, fb, rounds


def main():
    return [secant(jnp.float32(a), jnp.float32(b), jnp.float32(t)) for a, b in ((1.0, 2.0), (0.5, 1.5)) for t in (9.0, 0.01)]
