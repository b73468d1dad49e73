# /// case
# id = "grad-04-backward-rule-one-tuple"
# kind = "cross-function"
# expect = "fix"
# findings = [28]
# grad = true
# ///

import functools

import jax
import jax.numpy as jnp


@functools.partial(jax.custom_vjp, nondiff_argnums=(1,))
def guarded(x, bound):
    return jnp.sum(x**2)


def guarded_fwd(x, bound):
    return guarded(x, bound), x


def guarded_bwd(bound, x, ct):
    """The gradient is scaled down when it is long."""
    g = 2.0 * x * ct
    size = jnp.linalg.norm(g)
    if size > bound:
        g = g * (bound / size)
    return (g,)


guarded.defvjp(guarded_fwd, guarded_bwd)


def main():
    slope = jax.jit(jax.grad(guarded), static_argnums=1)
    return [(guarded(x, 3.0), slope(x, 3.0)) for x in (jnp.array([1.0, 0.5]), jnp.array([3.0, -4.0]), jnp.zeros(2))]
