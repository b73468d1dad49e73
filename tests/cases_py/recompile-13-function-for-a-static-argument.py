# /// case
# id = "recompile-13-function-for-a-static-argument"
# kind = "recompile"
# expect = "fix"
# findings = [33, 34]
# oracle = "want"
# want = "[[0.1230469, -0.03125], [-0.0625, -0.2460938], [0.6171875, 0.3671875], 2]"
# ///

import functools

import jax
import jax.numpy as jnp

TRACES = [0]


@functools.partial(jax.jit, static_argnums=0, static_argnames=("steps",))
def integrate(field, x, *, steps):
    TRACES[0] += 1
    for _ in range(steps):
        x = x + 0.25 * field(x)
    return x


def spin(rate, x):
    return rate * jnp.flip(x) * jnp.array([1.0, -1.0])


def orbits(starts):
    out = []
    for start in starts:
        decayed = integrate(lambda y: -2.0 * y, start, steps=3)
        out.append(integrate(functools.partial(spin, 0.5), decayed, steps=2))
    return out


def main():
    TRACES[0] = 0
    starts = [jnp.array([1.0, 0.0]), jnp.array([0.0, -2.0]), jnp.array([4.0, 4.0])]
    out = orbits(starts)
    return [out, TRACES[0]]
