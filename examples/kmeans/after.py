"""Lloyd's algorithm for k-means."""

import jax
import jax.numpy as jnp

CLUSTERS = 3


def nearest(points, centres):
    """Index of the nearest centre, and the squared distance to it, per point."""
    gaps = points[:, None, :] - centres[None, :, :]
    distances = jnp.sum(gaps**2, axis=-1)
    return jnp.argmin(distances, axis=1), jnp.min(distances, axis=1)


@jax.jit
def move(points, centres):
    """Put every centre into the middle of its points."""
    labels, _ = nearest(points, centres)
    new = jnp.zeros(centres.shape)
    for k in range(CLUSTERS):
        mine = labels == k
        count = jnp.sum(mine)
        new = jax.lax.cond(
            count > 0,
            lambda: new.at[k].set(jnp.sum(points * mine[:, None], axis=0) / count),
            lambda: new.at[k].set(centres[k]),  # nobody there: leave it
        )
    return new


@jax.jit
def cluster(points, centres, tol):
    """Centres that no longer move, the mean squared distance, and the rounds."""
    rounds = 0
    shift = jnp.inf

    def keep_going(carry):
        shift, _, _ = carry
        return shift > tol

    def body(carry):
        _, centres, rounds = carry
        new = move(points, centres)
        shift = jnp.max(jnp.abs(new - centres))
        centres = new
        rounds += 1
        return shift, centres, rounds

    _, centres, rounds = jax.lax.while_loop(keep_going, body, (shift, centres, rounds))
    _, distances = nearest(points, centres)
    return centres, distances.mean(), rounds


def main():
    key = jax.random.key(2)
    middles = jnp.repeat(jnp.array([[0.0, 0.0], [3.0, 0.0], [0.0, 3.0]]), 20, axis=0)
    points = middles + 0.5 * jax.random.normal(key, middles.shape)
    centres, spread, rounds = cluster(points, points[:CLUSTERS], 1e-4)
    for x, y in sorted(centres.tolist()):
        print(f"centre ({x:.2f}, {y:.2f})")
    print(f"mean squared distance {spread:.3f} after {rounds} rounds")


if __name__ == "__main__":
    main()
