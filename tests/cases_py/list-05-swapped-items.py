# /// case
# id = "list-05-swapped-items"
# kind = "traced-if"
# expect = "fix"
# findings = [18, 27, 38]
# ///

import jax
import jax.numpy as jnp


@jax.jit
def seat_by_height(heights, names):
    """A sorting network on two lists of scalars: the rows name two items each."""
    h, n = [heights[0], heights[1], heights[2]], list(names)
    swaps = 0
    for left, right in ((0, 1), (1, 2), (0, 1)):
        if h[left] < h[right]:
            h[left], h[right] = h[right], h[left]
            n[left], n[right] = n[right], n[left]
            swaps += 1
    front = n[:1]
    # selection: the second index is always behind the first
    for i in range(3):
        for j in range(i + 1, 3):
            low = jnp.minimum(n[i], n[j])
            if n[i] != low:
                last = n[i]
                n[i] = n[j]
                n[j] = last
    return jnp.stack(h), jnp.stack(n), jnp.stack(front), swaps


@jax.jit
def sift(values):
    v = [values[0], values[1], values[2]]
    for j in range(1, 3):
        if v[0] < v[j]:
            v[0], v[j] = v[j], 0.5 * v[0]
    return jnp.stack(v)


def main():
    ids = jnp.array([10, 20, 30])
    rows = [jnp.array(h) for h in ([1.0, 2.0, 3.0], [3.0, 1.0, 2.0], [2.0, 2.0, 1.0])]
    return [(seat_by_height(h, ids), sift(h)) for h in rows]
