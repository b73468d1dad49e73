# /// case
# id = "shape-26-places-with-names"
# kind = "dynamic-shape"
# expect = "fix"
# findings = [17, 20, 22, 24]
# grad = true
# oracle = "eager"
# ///
"""Places with a name, of one axis or of two, into which numbers are stored."""
import jax
import jax.numpy as jnp


@jax.jit
def tidy(x, table, limit):
    """Elements above a limit are cut, dead rows are marked, lone places are counted."""
    high = jnp.where(x > limit)[0]
    x = x.at[high].set(limit)
    x = x.at[high].add(0.25)
    rows, = jnp.where(~table.any(axis=1))
    table = table.at[rows].set(-1.0)
    where = jnp.nonzero(table > 5.0)
    table = table.at[where].divide(2.0)
    i, j = jnp.nonzero(table == 1.0)
    seen = jnp.zeros(table.shape, jnp.int32).at[i, j].add(1)
    return x, table, seen


def main():
    x = jnp.array([3.0, -1.0, 2.0, 5.0])
    table = jnp.array([[0.0, 0.0], [1.0, 8.0], [6.0, 1.0]])
    out = [tidy(x, table, 2.5), tidy(-x, table[::-1], 0.5)]
    slope = jax.grad(lambda v: tidy(v, table, 2.5)[0].sum())
    return [out, slope(x)]
