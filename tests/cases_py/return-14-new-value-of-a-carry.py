# /// case
# id = "return-14-new-value-of-a-carry"
# kind = "early-return"
# expect = "fix"
# findings = [17, 29, 32]
# oracle = "want"
# want = "[([0.13258908689022064, 2.1674230098724365, 2.1674304008483887, 5.0, 8.0, 0.1325540840625763], [2, 3, 3, 0, 0, 2]), ([0.13258908689022064, 1.2999999523162842], [2, 0])]"
# ///

"""Mean shift with a truncated Gaussian kernel, one start per lane."""

import jax
import jax.numpy as jnp


def kernel(x, lam=0.9, beta=1.0):
    if jnp.abs(x) > lam:
        return 0.0
    else:
        return jnp.exp(-beta * x**2)


def climb(start, points, tol=1e-3, rounds=20):
    """Where a start ends, after how many moves; a start without neighbours stays."""
    x = start
    for k in range(rounds):
        w = jax.vmap(kernel)(points - x)
        mass = jnp.sum(w)
        if mass == 0.0:
            return x, k
        nxt = jnp.dot(w, points) / mass
        if jnp.abs(nxt - x) < tol:
            return nxt, k
        x = nxt
    return x, rounds


climb_all = jax.vmap(climb, in_axes=(0, None))


def main():
    points = jnp.array([0.0, 0.1, 0.3, 2.0, 2.2, 2.3, 5.0])
    starts = jnp.array([0.7, 1.3, 2.9, 5.0, 8.0, -0.5])
    return [climb_all(starts, points), climb_all(starts[:2], points[:3])]
