# /// case
# id = "list-13-missing-data"
# kind = "accumulate-list"
# expect = "fix"
# findings = [21]
# grad = true
# ///
"""A Kalman filter that skips missing data: two lists, and a branch that is a function."""

import jax
import jax.numpy as jnp


@jax.jit
def filtered(zs, drift=0.1, noise=0.5):
    x, p = 0.0, 1.0
    xs, ps = [], []
    skipped = 0
    for z in zs:
        p = p + drift
        if jnp.isnan(z):
            skipped += 1
            xs.append(x)
            ps.append(p)
            continue
        gain = p / (p + noise)
        x = x + gain * (z - x)
        p = (1 - gain) * p
        xs.append(x)
        ps.append(p)
    return jnp.stack(xs), jnp.array(ps), skipped


def main():
    zs = jnp.array([1.0, jnp.nan, 2.0, 1.5])
    last = jax.grad(lambda v: filtered(v)[0][-1])(jnp.array([1.0, 2.0, 3.0, 4.0]))
    return [filtered(zs), filtered(zs[:1]), last]
