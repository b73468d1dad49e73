# /// case
# id = "grad-05-whole-numbers-in-a-loop"
# kind = "traced-while"
# expect = "fix"
# findings = [16, 18, 28, 30, 39, 40]
# grad = true
# ///
"""A search that carries whole numbers alone stands in the way of no gradient."""

import jax
import jax.numpy as jnp


def place_of(xs, v):
    low, high = 0, len(xs)
    while low < high:
        middle = (low + high) // 2
        if xs[middle] < v:
            low = middle + 1
        else:
            high = middle
    return low


@jax.jit
def interpolate(xs, ys, v):
    i = place_of(xs, v)
    if i == 0:
        return ys[0]
    if i == len(xs):
        return ys[-1]
    t = (v - xs[i - 1]) / (xs[i] - xs[i - 1])
    return ys[i - 1] + t * (ys[i] - ys[i - 1])


@jax.jit
def weighted(xs, n, limit):
    hits = 0
    for k in range(n):
        if xs[k] > limit:
            hits += 1
    return hits * limit**2


def main():
    xs, ys = jnp.array([0.0, 1.0, 3.0]), jnp.array([1.0, -1.0, 5.0])
    places = (-1.0, 0.0, 0.5, 1.0, 2.9, 3.0, 4.0)
    out = [interpolate(xs, ys, v) for v in places]
    slopes = [jax.grad(interpolate, (0, 1, 2))(xs, ys, v) for v in places]
    counts = jnp.arange(4)
    hits = [weighted(xs, n, 0.5) for n in counts]
    return [out, slopes, hits, [jax.grad(weighted, 2)(xs, n, 0.5) for n in counts]]
