# /// case
# id = "inplace-07-rows-in-turn"
# kind = "inplace-update"
# expect = "fix"
# findings = [22, 23, 35, 36, 47]
# ///
"""A new row each round becomes the old one; a helper gives back what it stored into."""

import jax
import jax.numpy as jnp
import numpy as np


@jax.jit
def edit_distance(a, b):
    n, m = a.shape[0], b.shape[0]
    row = jnp.arange(m + 1)
    for i in range(n):
        new = np.zeros(m + 1, dtype=np.int32)
        new[0] = i + 1
        for j in range(m):
            cost = 0 if a[i] == b[j] else 1
            new[j + 1] = min(row[j + 1] + 1, new[j] + 1, row[j] + cost)
        row = new
    return row[m]


class Sweep:
    def __init__(self, size):
        self.size = size

    def once(self, spins, key):
        flips = 0
        for k in range(self.size):
            if spins[k] * jax.random.uniform(jax.random.fold_in(key, k)) < 0.25:
                spins[k] = -spins[k]
                flips += 1
        return spins, flips


@jax.jit
def twice(spins, key):
    total = 0
    sweep = Sweep(4)
    for round in range(2):
        spins, flips = sweep.once(spins, jax.random.fold_in(key, round))
        if flips > 1:
            total += flips
    return spins, total


def main():
    distance = edit_distance(jnp.array([1, 2, 3, 4]), jnp.array([2, 3, 5]))
    spins = np.array([1.0, -1.0, 1.0, -1.0], np.float32)
    found = [twice(spins.copy(), jax.random.key(seed)) for seed in range(3)]
    return int(distance), [(np.asarray(s).tolist(), int(t)) for s, t in found]
