# /// case
# id = "shape-12-chains-of-names"
# kind = "dynamic-shape"
# expect = "fix"
# findings = [19, 21, 22, 24, 30]
# tolerance = 1e-4
# grad = true
# oracle = "eager"
# ///
"""Names made of names made of selections by one mask, which gets a name of its own."""

import jax
import jax.numpy as jnp


@jax.jit
def fit(params, x, y, sigma):
    """Weighted misfit of the observed rows."""
    seen = x[jnp.isfinite(y)]
    model = params[0] + params[1] * seen
    gap = y[jnp.isfinite(y)] - model
    pull = gap / sigma[jnp.isfinite(y)]
    chi2 = (pull * pull).sum()
    bits = jnp.log(sigma[jnp.isfinite(y)])
    return chi2 + 2.0 * bits.sum(), jnp.max(jnp.abs(pull)), len(pull)


@jax.jit
def clipped(x, low):
    above = x[x > low] - low
    scaled = 2 * above
    return jnp.mean(scaled), jnp.std(above), jnp.sqrt(above).sum()


def main():
    x = jnp.array([0.0, 1.0, 2.0, 3.0])
    y = jnp.array([1.0, jnp.nan, 2.0, 5.0])
    sigma = jnp.array([1.0, 0.0, 0.5, 2.0])
    params = jnp.array([0.5, 1.0])
    slope = jax.grad(lambda p: fit(p, x, y, sigma)[0])(params)
    spread = jax.grad(lambda s: fit(params, x, y, s)[0])(sigma)
    ints = jnp.array([3, 9, 1, 5])
    return [fit(params, x, y, sigma), slope, spread, clipped(x, 0.5), clipped(ints, 2)]
