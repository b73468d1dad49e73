# /// case
# id = "static-04-donate-and-nums-clean"
# kind = "static-arg"
# expect = "clean"
# findings = []
# ///
"""Static by number and by name together, a donated buffer, and a default that is static."""

import functools

import jax
import jax.numpy as jnp


@functools.partial(jax.jit, static_argnums=(1,), static_argnames=("order",))
def spline(x, knots, order=1):
    grid = jnp.linspace(0.0, 1.0, knots)
    if order == 0:
        return jnp.floor(x * knots) / knots
    while order > 1:
        grid = (grid[1:] + grid[:-1]) / 2.0
        order -= 1
    return jnp.interp(x, grid, grid**2)


def main():
    x = jnp.array([0.1, 0.6])
    return [spline(x, 4), spline(x, 5, order=2), spline(x, 3, order=0)]
