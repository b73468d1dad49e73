# /// case
# id = "state-05-items-by-variable"
# kind = "traced-if"
# expect = "fix"
# findings = [17, 28, 37]
# ///
"""The key of a dict or the index of a list is a variable that is known while tracing."""

import jax
import jax.numpy as jnp


@jax.jit
def floored(d, lo):
    out = {}
    for k, v in d.items():
        if v < lo:
            out[k] = lo
        else:
            out[k] = v
    return out


@jax.jit
def lowered(x):
    xs = [x, x * 2, x * 3]
    for i in range(3):
        if xs[i] > 2:
            xs[i] = xs[i] - 2
    return xs


@jax.jit
def shifted(x):
    s = {"a": 0.0, "b": 1.0}
    for k in s:
        if x > 0:
            s[k] = s[k] + x
    return s


def main():
    out = [floored({"u": 1.0, "v": -3.0}, -1.0)]
    return out + [
        f(jnp.float32(v)) for f in (lowered, shifted) for v in (3.0, -1.0, 0.7)
    ]
