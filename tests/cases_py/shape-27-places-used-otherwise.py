# /// case
# id = "shape-27-places-used-otherwise"
# kind = "dynamic-shape"
# expect = "report"
# findings = [14, 21, 27]
# ///
"""Places that are returned, or used in another order: their number must be known."""
import jax
import jax.numpy as jnp


@jax.jit
def moved(x, y):
    hits = jnp.where(x > 0)[0]
    x = x.at[hits].set(y[hits])
    return x, hits


@jax.jit
def swapped(table):
    i, j = jnp.nonzero(table > 5.0)
    return table.at[j, i].set(0.0)


@jax.jit
def longer(x, signs):
    hits = jnp.where(signs > 0)[0]
    return x.at[hits].set(0.0)


def main():
    x = jnp.array([3.0, -1.0, 2.0])
    return [moved(x, 2 * x), swapped(jnp.array([[0.0, 8.0], [1.0, 2.0]])), longer(jnp.ones(5), x)]
