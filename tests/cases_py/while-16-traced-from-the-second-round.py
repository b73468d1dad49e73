# /// case
# id = "while-16-traced-from-the-second-round"
# kind = "traced-while"
# expect = "fix"
# findings = [17, 20, 25, 34, 37]
# ///
"""A condition is known in the first round and traced in the next: what counts is carried."""

import jax
import jax.numpy as jnp


@jax.jit
def isotonic(y):
    changed = True
    rounds = 0
    while changed:
        changed = False
        for i in range(y.shape[0] - 1):
            if y[i] > y[i + 1]:
                m = (y[i] + y[i + 1]) / 2
                y = y.at[i].set(m).at[i + 1].set(m)
                changed = True
        rounds += 1
        if rounds >= 20:
            break
    return y, rounds


@jax.jit
def halvings(x):
    error = None
    count = 0
    while error is None or error > 0.1:
        x = x * 0.5
        error = x * x
        if count == 6:
            break
        count += 1
    return x, count


def main():
    ys = (jnp.array([1.0, 3.0, 2.0, 4.0, 3.5]), jnp.array([1.0, 2.0, 3.0]))
    found = [isotonic(y) for y in ys]
    return [(y.tolist(), int(n)) for y, n in found]
