# /// case
# id = "match-01-captures-and-bools"
# kind = "traced-if"
# expect = "fix"
# findings = [14, 23]
# ///
"""A traced number is matched with literals, a negative one, an as-pattern and a capture with a guard; arms return."""
import jax
import jax.numpy as jnp


@jax.jit
def weight(n, x):
    match n % 4:
        case 0:
            return x
        case 1 | 2 as k:
            y = x * k
        case k if x > 0:
            y = x - k
        case _:
            y = -x
    match n:
        case -1:
            y = y + 100.0
    return y + 0.5


def main():
    return [weight(jnp.int32(n), jnp.float32(x)) for n in (-1, 0, 1, 2, 3, 6, 7) for x in (1.5, -1.5)]
