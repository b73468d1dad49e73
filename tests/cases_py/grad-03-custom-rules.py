# /// case
# id = "grad-03-custom-rules"
# kind = "traced-while"
# expect = "fix"
# findings = [19, 28, 37, 52]
# grad = true
# tolerance = 1e-4
# ///
"""JAX calls the rules of custom_jvp and custom_vjp, and differentiates neither function."""

from functools import partial

import jax
import jax.numpy as jnp


@jax.custom_jvp
def hinge(x, knee):
    if x > knee:
        return x - knee
    return 0.0 * x


@hinge.defjvp
def hinge_jvp(primals, tangents):
    x, knee = primals
    dx, dknee = tangents
    slope = 1.0 if x >= knee else 0.1
    return hinge(x, knee), slope * (dx - dknee)


both = jax.jit(jax.value_and_grad(hinge, argnums=(0, 1)))


@partial(jax.custom_vjp, nondiff_argnums=(0,))
def fixed_point(f, a, x):
    while jnp.abs(f(a, x) - x) > 1e-4:
        x = f(a, x)
    return x


def forward(f, a, x):
    found = fixed_point(f, a, x)
    return found, (a, found)


def backward(f, kept, cot):
    a, x = kept
    _, pull = jax.vjp(f, a, x)
    w = cot
    old = jnp.zeros_like(w) + 10.0
    while jnp.abs(w - old) > 1e-5:
        old = w
        w = cot + pull(w)[1]
    return pull(w)[0], jnp.zeros_like(x)


fixed_point.defvjp(forward, backward)


@jax.jit
def sqrt_slope(a):
    return jax.grad(lambda a: fixed_point(lambda a, x: 0.5 * (x + a / x), a, 1.0))(a)


def main():
    return [
        both(jnp.float32(x), jnp.float32(k))
        for x, k in ((2.0, 1.0), (1.0, 1.0), (-3.0, 0.5))
    ] + [sqrt_slope(jnp.float32(a)) for a in (4.0, 2.0)]
