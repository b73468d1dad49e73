# /// case
# id = "bool-18-any-of-chained"
# kind = "traced-bool-op"
# expect = "fix"
# findings = [16, 17, 18, 20]
# ///
"""Box geometry: overlap tests by chained comparisons, any/all over generators."""

import jax
import jax.numpy as jnp


@jax.jit
def inside_any(point, boxes):
    x, y = point
    hit = any(b[0] <= x <= b[2] and b[1] <= y <= b[3] for b in boxes)
    every = all(b[2] > b[0] for b in boxes)
    if hit and every:
        return 1
    return 0 if every else -1


def main():
    boxes = jnp.array([[0.0, 0.0, 1.0, 1.0], [2.0, 2.0, 3.0, 4.0]])
    bad = boxes.at[0, 2].set(-1.0)
    pts = [(0.5, 0.5), (1.0, 1.0), (1.5, 1.5), (2.5, 3.9), (-0.5, 0.5)]
    return [inside_any(jnp.array(p), b) for p in pts for b in (boxes, bad)]
