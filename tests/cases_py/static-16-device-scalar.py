# /// case
# id = "static-16-device-scalar"
# kind = "static-arg"
# expect = "fix"
# findings = [15]
# oracle = "eager"
# ///

import functools

import jax
import jax.numpy as jnp


@functools.partial(jax.jit, static_argnames=("width",))
def smooth(series, width):
    kernel = jnp.ones(width) / width
    return jnp.convolve(series, kernel, mode="valid")


def best_width(series):
    """Half of the first lag at which the signal falls under its mean, at least 1."""
    first = jnp.argmax(series < series.mean())
    return jnp.maximum(first // 2, 1)


def main():
    out = []
    for series in ([5.0, 4.0, 4.0, 3.0, 0.0, 1.0], [1.0, 2.0, 3.0, 4.0], [9.0, 8.0, 9.0, 9.0, 9.0, 0.0, 0.0]):
        series = jnp.array(series)
        width = best_width(series)
        out.append(smooth(series, width=width))
    return out
