# /// case
# id = "list-06-length-of-comprehensions"
# kind = "accumulate-list"
# expect = "report"
# findings = [14, 15]
# ///
"""A dict and a list comprehension over a range that ends at a traced number: as many entries as the data says."""
import jax
import jax.numpy as jnp


@jax.jit
def table(x, n):
    powers = {k: x**k for k in range(n)}
    steps = [x * k for k in range(n)]
    return powers, steps


def main():
    return [table(jnp.float32(2.0), jnp.int32(n)) for n in (1, 3)]
