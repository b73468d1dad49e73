# /// case
# id = "shape-06-means-of-rows"
# kind = "dynamic-shape"
# expect = "fix"
# findings = [19, 21]
# oracle = "eager"
# ///

import jax
import jax.numpy as jnp

K = 2


@jax.jit
def lloyd(points, centres):
    distances = jnp.sum((points[:, None] - centres[None]) ** 2, axis=-1)
    labels = jnp.argmin(distances, axis=1)
    moved = jnp.array([jnp.mean(points[jnp.where(labels == j)], axis=0) for j in range(K)])
    for j in range(K):
        weight = points[labels == j].sum(axis=0)
        centres = centres.at[j].set(moved[j] + 0.0 * weight)
    return centres, labels


def main():
    points = jnp.array([[0.0, 0.0], [0.0, 1.0], [5.0, 5.0], [6.0, 5.0]])
    centres = jnp.array([[0.0, 0.2], [4.0, 4.0]])
    return [lloyd(points, centres), lloyd(-points, -centres)]
