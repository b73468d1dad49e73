# /// case
# id = "static-18-length-of-a-permutation"
# kind = "static-arg"
# expect = "fix"
# findings = [14]
# ///
"""A number in place of an array is a length: it has to be static."""
import jax
import jax.numpy as jnp


@jax.jit
def pick(key, x, n):
    order = jax.random.permutation(key, n)
    total = 0.0
    for i in order:
        total = 0.5 * total + x[i]
    return total


def main():
    return [pick(jax.random.PRNGKey(0), jnp.arange(6.0), n) for n in (3, 6)]
