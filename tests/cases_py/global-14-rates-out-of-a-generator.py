# /// case
# id = "global-14-rates-out-of-a-generator"
# kind = "global-capture"
# expect = "fix"
# findings = [20, 26, 29]
# oracle = "eager"
# ///
"""A generator lets two rates grow between the calls of a step that gives its buffers away."""
import functools

import jax
import jax.numpy as jnp

clip_level = 1.0
rate = 0.5


def clipped(grads):
    size = jnp.sqrt(sum(jnp.vdot(g, g) for g in jax.tree.leaves(grads)))
    return jax.tree.map(lambda g: g * jnp.minimum(1.0, clip_level / size), grads)


@functools.partial(jax.jit, donate_argnums=(0, 1), static_argnames=("nesterov",))
def step(params, velocity, grads, nesterov=False):
    grads = clipped(grads)
    velocity = jax.tree.map(lambda v, g: 0.9 * v - rate * g, velocity, grads)
    if nesterov:
        params = jax.tree.map(
            lambda p, v, g: p + 0.9 * v - rate * g, params, velocity, grads
        )
    else:
        params = jax.tree.map(jnp.add, params, velocity)
    return params, velocity


def warm_up(rounds):
    """Let the steps grow, up to the usual rate."""
    global rate, clip_level
    for k in range(rounds):
        rate = min(0.5, 0.125 * 2**k)
        clip_level += 0.5
        yield k


def main():
    global rate, clip_level
    rate, clip_level = 0.5, 1.0
    params = {"w": jnp.array([1.0, -2.0]), "b": jnp.array(0.5)}
    velocity = jax.tree.map(jnp.zeros_like, params)
    out = []
    for k in warm_up(3):
        grads = jax.tree.map(lambda p: 2.0 * p + 1.0, params)
        params, velocity = step(params, velocity, grads, nesterov=k == 1)
        out.append(jax.tree.map(jnp.copy, [params, velocity]))
    return out
