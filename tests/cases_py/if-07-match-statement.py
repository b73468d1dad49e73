# /// case
# id = "if-07-match-statement"
# kind = "traced-if"
# expect = "fix"
# findings = [15]
# ///
"""`match` with guards on a traced value; the subject itself is traced too."""

import jax
import jax.numpy as jnp


@jax.jit
def gear(speed):
    match speed:
        case s if s < 1.0:
            ratio = 4.0
        case s if s < 2.0:
            ratio = 2.0
        case _:
            ratio = 1.0
    return speed * ratio


def main():
    return [gear(jnp.float32(v)) for v in (0.5, 1.0, 1.5, 2.0, 9.0)]
