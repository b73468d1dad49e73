# /// case
# id = "static-20-training-flag"
# kind = "static-arg"
# expect = "fix"
# findings = [15, 26, 36]
# ///
"""A flag says whether a branch runs that needs an argument which is None otherwise."""

import jax
import jax.numpy as jnp


def apply(params, x, *, training, rng=None):
    y = params @ x
    if training:
        keep = jax.random.bernoulli(rng, 0.5, y.shape)
        y = jnp.where(keep, y, 0.0)
    return y


apply_jit = jax.jit(apply)


@jax.jit
def normalised(x, use_running, stats=None):
    mean = stats["mean"] if use_running else x.mean()
    return x - mean


def with_bias(x, bias):
    return x + bias


@jax.jit
def dense(x, use_bias, bias=None):
    if use_bias:
        x = with_bias(x, bias)
    return x * 2.0


def main():
    params, x = jnp.eye(2), jnp.ones(2)
    return [
        apply_jit(params, x, training=False),
        apply_jit(params, x, training=True, rng=jax.random.PRNGKey(0)),
        normalised(x, False),
        normalised(x, True, {"mean": 3.0}),
        dense(x, False),
        dense(x, True, 2 * x),
    ]
