# /// case
# id = "state-07-items-side-by-side"
# kind = "traced-if"
# expect = "fix"
# findings = [18, 27, 34]
# ///
"""Items whose indices differ by a number are different items."""

import jax
import jax.numpy as jnp


@jax.jit
def bubble(xs):
    xs = list(xs)
    for i in range(len(xs)):
        for j in range(len(xs) - 1 - i):
            if xs[j] > xs[j + 1]:
                xs[j], xs[j + 1] = xs[j + 1], xs[j]
    return xs


@jax.jit
def differences(x):
    xs = [x, x * 2, x * 3]
    for i in range(1, 3):
        if xs[i] > 2:
            xs[i] = xs[i] - xs[i - 1]
    return xs


@jax.jit
def raised(d, x):
    if x > 0:
        d["a"] = d["a"] + x
    return d


def main():
    out = [bubble(jnp.array(v)) for v in ([3.0, 1.0, 2.0], [1.0, 2.0], [2.0, 2.0])]
    out += [differences(jnp.float32(v)) for v in (3.0, -1.0, 0.7)]
    return out, [raised({"a": 1.0, "b": 2.0}, x) for x in (3.0, -3.0)]
