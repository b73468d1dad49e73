# /// case
# id = "for-07-enumerate-from-traced-start"
# kind = "traced-for"
# expect = "fix"
# findings = [15]
# ///
"""enumerate over a short array counts from a traced number."""
import jax
import jax.numpy as jnp


@jax.jit
def discounted(cash, first, rate):
    value = 0.0
    for year, c in enumerate(cash, start=first):
        value += c / (1.0 + rate) ** year
    return value


def main():
    cash = jnp.array([5.0, 6.0, 7.0], jnp.float32)
    return [discounted(cash, jnp.int32(k), jnp.float32(0.5)) for k in (0, 1, 4)]
