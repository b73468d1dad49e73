# /// case
# id = "static-17-numpy-numbers-clean"
# kind = "static-arg"
# expect = "clean"
# findings = []
# ///

import functools

import jax
import jax.numpy as jnp
import numpy as np


@functools.partial(jax.jit, static_argnames=("width", "flag", "scale"))
def smooth(series, width, flag=False, scale=1.0):
    kernel = jnp.ones(width) / width
    if flag:
        kernel = kernel * scale
    return jnp.convolve(series, kernel, mode="valid")


SIZES = np.array([1, 2, 3])


def main():
    host = np.array([3.0, 1.0, 4.0, 1.0])
    series = jnp.asarray(host)
    out = [smooth(series, width=np.argmax(host)), smooth(series, SIZES[1], flag=np.any(host > 3.0))]
    out += [smooth(series, n) for n in SIZES]
    out.append(smooth(series, np.prod(series.shape) // 2, scale=host.mean(), flag=True))
    out.append(smooth(series, width=np.int32(2), flag=np.bool_(True), scale=np.float32(0.5)))
    out.append(smooth(series, width=host.size, scale=host[1], flag=host[0] > 1.0))
    return out
