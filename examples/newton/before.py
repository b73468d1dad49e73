"""Kepler's equation, solved by Newton's method with bisection as a safety net."""

import jax
import jax.numpy as jnp

MAX_STEPS = 50


def kepler(anomaly, mean_anomaly, eccentricity):
    """Zero at the eccentric anomaly that belongs to `mean_anomaly`."""
    return anomaly - eccentricity * jnp.sin(anomaly) - mean_anomaly


@jax.jit
def solve(mean_anomaly, eccentricity, tol=1e-5):
    """The eccentric anomaly, and how many steps it took."""
    low, high = 0.0, jnp.pi
    x = mean_anomaly
    steps = 0
    for _ in range(MAX_STEPS):
        f = kepler(x, mean_anomaly, eccentricity)
        if abs(f) < tol:
            break
        # Keep the root between low and high.
        if f > 0:
            high = x
        else:
            low = x
        guess = x - f / jax.grad(kepler)(x, mean_anomaly, eccentricity)
        if not low < guess < high:
            guess = (low + high) / 2
        x = guess
        steps += 1
    return x, steps


def main():
    for eccentricity in (0.1, 0.95):
        for mean_anomaly in (0.2, 3.0):
            x, steps = solve(mean_anomaly, eccentricity)
            print(f"e={eccentricity} M={mean_anomaly}: E={x:.4f} ({steps} steps)")


if __name__ == "__main__":
    main()
