# /// case
# id = "global-08-flag-and-depth"
# kind = "global-capture"
# expect = "fix"
# findings = [20, 22]
# oracle = "want"
# want = "[[0.4820138, -0.4996646], [0.9640276, -0.9993292], [0.957682, -0.9585605]]"
# ///
"""A flag and a depth that Python itself must know become static arguments."""

import jax
import jax.numpy as jnp

training = True
depth = 1


@jax.jit
def net(x, w):
    for _ in range(depth):
        x = jnp.tanh(w * x)
    if training:
        x = 0.5 * x
    return x


def main():
    global training, depth
    training, depth = True, 1
    x = jnp.array([1.0, -2.0])
    out = [net(x, 2.0)]
    training = False
    out.append(net(x, 2.0))
    depth = 3
    out.append(net(x, w=2.0))
    return out
