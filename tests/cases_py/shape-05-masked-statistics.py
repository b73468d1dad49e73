# /// case
# id = "shape-05-masked-statistics"
# kind = "dynamic-shape"
# expect = "fix"
# findings = [17, 18, 19, 20, 21]
# oracle = "eager"
# ///

import jax
import jax.numpy as jnp


@jax.jit
def summary(x, w, low):
    """Weighted statistics of the valid entries; ints and floats, rows and all."""
    ok = (x > low) & jnp.isfinite(x)
    mass = jnp.sum(w[ok] * x[ok])
    count = x[ok].size
    spread = x[ok].max() - x[ok].min()
    codes = jnp.max(jnp.floor(x).astype(jnp.int32)[x > low])
    return mass / w[ok].sum(), count, spread, codes, x[ok].std()


def main():
    x = jnp.array([1.5, -2.0, 8.25, 3.0, 0.5])
    w = jnp.array([1, 2, 3, 4, 5])
    holes = jnp.array([1.0, jnp.nan, -7.0, -3.0, 2.0])
    return [summary(x, w, 1.0), summary(x, w, -5.0), summary(holes, 0.5 * w, -4.0)]
