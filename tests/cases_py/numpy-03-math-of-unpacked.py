# /// case
# id = "numpy-03-math-of-unpacked"
# kind = "numpy-call"
# expect = "fix"
# findings = [19, 24, 25, 26, 27, 28]
# grad = true
# want = "[[6.093412, 2.236068], [-5.23094, 2.061553], [-1.480961, 5.0], [0.6, 0.8]]"
# oracle = "want"
# ///

import math

import jax
import jax.numpy as jnp
import numpy as np


def wrap(angle):
    return math.atan2(math.sin(angle), math.cos(angle))


@jax.jit
def bearing(p, q, unit):
    dx, dy = (q - p).tolist()
    angle = wrap(math.atan2(dy, dx) + math.pi / 3)
    size = math.hypot(dx, dy)
    scale = unit.item() * math.sqrt(2.0)
    return np.float32(angle) * scale, size


def main():
    unit = jnp.array(2.0)
    p = jnp.array([1.0, 1.0])
    out = [bearing(p, jnp.array(q), unit) for q in ([2.0, 3.0], [-1.0, 0.5], [1.0, -4.0])]
    out.append(jax.grad(lambda q: bearing(p, q, unit)[1])(jnp.array([4.0, 5.0])))
    return out
