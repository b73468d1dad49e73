# /// case
# id = "if-02-pytree-param-update"
# kind = "traced-if"
# expect = "fix"
# findings = [16]
# ///
"""A dict of parameters is replaced as a whole when the gradient is usable."""

import jax
import jax.numpy as jnp


@jax.jit
def guarded_update(params, grads, rate):
    norm = jnp.sqrt(sum(jnp.sum(g**2) for g in grads.values()))
    if jnp.isfinite(norm) and norm < 10.0:
        params = {k: params[k] - rate * grads[k] for k in params}
    return params, norm


def main():
    params = {"w": jnp.array([1.0, 2.0]), "b": jnp.float32(0.5)}
    fine = {"w": jnp.array([0.5, -0.5]), "b": jnp.float32(1.0)}
    huge = {"w": jnp.array([50.0, -0.5]), "b": jnp.float32(1.0)}
    broken = {"w": jnp.array([jnp.inf, 0.0]), "b": jnp.float32(1.0)}
    return [guarded_update(params, g, 0.1) for g in (fine, huge, broken)]
