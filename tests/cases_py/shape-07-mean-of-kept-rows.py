# /// case
# id = "shape-07-mean-of-kept-rows"
# kind = "dynamic-shape"
# expect = "fix"
# findings = [16]
# grad = true
# oracle = "eager"
# ///

import jax
import jax.numpy as jnp


@jax.jit
def centroid(points, labels, which):
    members = points[labels == which]
    return members.mean(axis=0), members.shape[0]


def inertia(points, labels):
    total = 0.0
    for which in (0, 1):
        centre, _ = centroid(points, labels, which)
        total = total + jnp.sum(centre**2)
    return total


def main():
    points = jnp.array([[0.0, 1.0], [2.0, 3.0], [4.0, -1.0], [1.0, 1.0]])
    labels = jnp.array([0, 1, 1, 0])
    out = [centroid(points, labels, which) for which in (0, 1, 2)]
    return [out, inertia(points, labels), jax.grad(inertia)(points, labels)]
