# /// case
# id = "global-07-method-with-a-branch"
# kind = "mutable-capture"
# expect = "fix"
# findings = [30, 31]
# ///
"""The state of an object becomes an argument of a method that has a branch as well."""

import functools

import jax
import jax.numpy as jnp


class Normaliser:
    def __init__(self):
        self.mean = 0.0
        self.count = 0

    def update(self, x):
        self.count += 1
        self.mean = self.mean + (float(x.mean()) - self.mean) / self.count

    def __call__(self, x):
        return self._normalise(x)

    @functools.partial(jax.jit, static_argnums=0)
    def _normalise(self, x):
        """Centred, and scaled unless it is constant."""
        scale = jnp.abs(x - self.mean).max()
        if scale < 1e-6:
            scale = 1.0
        return (x - self.mean) / scale


def main():
    normaliser = Normaliser()
    x = jnp.array([1.0, 2.0, 4.0])
    found = []
    for k in range(3):
        normaliser.update(x + k)
        found.append(normaliser(x).tolist())
    return found
