# /// case
# id = "builtin-07-key-of-a-display"
# kind = "traced-bool-op"
# expect = "fix"
# findings = [14, 15, 16]
# ///
"""The best of a few names by a lambda, as a list and as a tuple; the first of equal ones wins."""
import jax
import jax.numpy as jnp


@jax.jit
def f(a, b, c, goal):
    near = min([a, b, c], key=lambda v: (v - goal) ** 2)
    far = max((a, b, 0.5), key=lambda v: abs(v - goal))
    big = max((a, b, c), key=abs)
    return near, far, big


def main():
    return [f(*map(jnp.float32, c)) for c in ((1.0, -1.0, 0.5, 0.0), (0.0, 2.0, 2.0, 1.0), (-3.0, 3.0, 1.0, 5.0))]
