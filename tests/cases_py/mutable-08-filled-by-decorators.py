# /// case
# id = "mutable-08-filled-by-decorators"
# kind = "static-arg"
# expect = "clean"
# findings = []
# ///
"""A table that decorators fill while the module is loaded is complete when compiled code reads it."""
from functools import partial

import jax
import jax.numpy as jnp

SOLVERS = {}


def register(name, *, order=1):
    def keep(fn):
        SOLVERS[name] = (fn, order)
        return fn

    return keep


@register("euler")
def euler(f, y, h):
    return y + h * f(y)


@register("rk4", order=4)
def rk4(f, y, h):
    k1 = f(y)
    k2 = f(y + h / 2 * k1)
    k3 = f(y + h / 2 * k2)
    k4 = f(y + h * k3)
    return y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)


@partial(jax.jit, static_argnames=("solver", "steps"))
def integrate(y, h, solver="euler", steps=3):
    if solver not in SOLVERS:
        raise KeyError(solver)
    step, order = SOLVERS[solver]
    if order > 1:
        steps = max(1, steps // order)
    done = 0
    while done < steps:
        y = step(lambda v: -v, y, h)
        done += 1
    return y, order * done


def main():
    y = jnp.array([1.0, -2.0])
    return [integrate(y, 0.1), integrate(y, 0.1, solver="rk4", steps=9), integrate(y, 0.2, "euler", steps=0)]
