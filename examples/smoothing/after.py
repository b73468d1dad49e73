"""Smoothing of a noisy signal with kernels of several shapes."""

import functools

import jax
import jax.numpy as jnp


@functools.partial(jax.jit, static_argnames=("width", "shape"))
def kernel(width, shape):
    """Weights of a window of odd `width` that sum to one."""
    offsets = jnp.arange(width) - width // 2
    if shape == "box":
        weights = jnp.ones(width)
    elif shape == "triangle":
        weights = 1 - jnp.abs(offsets) / (width // 2 + 1)
    else:
        weights = jnp.exp(-0.5 * (offsets / (width / 4)) ** 2)
    return weights / weights.sum()


@functools.partial(jax.jit, static_argnames=("width", "shape"))
def smooth(signal, width, shape="box"):
    """The moving average of `signal`, as long as the signal."""
    window = kernel(width, shape)
    padded = jnp.pad(signal, width // 2, mode="edge")
    return jnp.convolve(padded, window, mode="valid")


def roughness(signal):
    """Root mean square of the differences between neighbours."""
    return jnp.sqrt(jnp.mean(jnp.diff(signal) ** 2))


def main():
    t = jnp.linspace(0.0, 6.0, 100)
    noise = 0.2 * jax.random.normal(jax.random.key(4), t.shape)
    signal = jnp.sin(t) + noise
    print(f"raw: {roughness(signal):.3f}")
    for width in (5, 11):
        print(f"box {width}: {roughness(smooth(signal, width)):.3f}")
        for shape in ("triangle", "gauss"):
            smoothed = smooth(signal, width, shape)
            print(f"{shape} {width}: {roughness(smoothed):.3f}")


if __name__ == "__main__":
    main()
