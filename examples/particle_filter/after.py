"""A particle filter that follows a random walk through noisy measurements."""

import jax
import jax.numpy as jnp

PARTICLES = 256
DRIFT, NOISE = 0.5, 1.0  # standard deviations of the walk and of a measurement


@jax.jit
def resample(key, particles, weights):
    """Draw particles in proportion to their weights; all weigh the same again."""
    chosen = jax.random.choice(key, particles, particles.shape, p=weights)
    return chosen, jnp.full(weights.shape, 1 / len(weights))


@jax.jit
def update(key, particles, weights, measured, threshold):
    """Move all particles and weigh them by the measurement."""
    key_move, key_resample = jax.random.split(key)
    particles = particles + DRIFT * jax.random.normal(key_move, particles.shape)

    def update_weights(weights):
        weights = weights * jnp.exp(-0.5 * ((measured - particles) / NOISE) ** 2)
        return weights / weights.sum()

    # NaN: the sensor gave nothing
    weights = jax.lax.cond(
        jnp.isnan(measured), lambda weights: weights, update_weights, weights
    )
    effective = 1 / jnp.sum(weights**2)

    def true_branch(particles, weights):
        jax.debug.print(
            "resampling: {effective:.1f} particles count", effective=effective
        )
        particles, weights = resample(key_resample, particles, weights)
        return particles, weights

    return jax.lax.cond(
        effective < threshold * PARTICLES,
        true_branch,
        lambda particles, weights: (particles, weights),
        particles,
        weights,
    )


def main():
    measurements = [0.3, 1.1, float("nan"), 2.4]
    particles = jnp.zeros(PARTICLES)
    weights = jnp.full(PARTICLES, 1 / PARTICLES)
    key = jax.random.key(3)
    for t, measured in enumerate(measurements):
        particles, weights = update(
            jax.random.fold_in(key, t), particles, weights, measured, 0.5
        )
        estimate = jnp.sum(weights * particles)
        print(f"{t}: measured {measured}, estimate {estimate:.2f}")


if __name__ == "__main__":
    main()
