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
    done = False
    i = 0

    def keep_going(carry):
        i, done, _, _, _, _ = carry
        return (i < MAX_STEPS) & ~done

    def body(carry):
        i, _, x, high, low, steps = carry
        f = kepler(x, mean_anomaly, eccentricity)
        done = abs(f) < tol

        def false_branch(x, high, low, steps):
            # Keep the root between low and high.
            high = jnp.where(f > 0, x, high)
            low = jnp.where(f > 0, low, x)
            guess = x - f / jax.grad(kepler)(x, mean_anomaly, eccentricity)
            guess = jnp.where((low < guess) & (guess < high), guess, (low + high) / 2)
            x = guess
            steps += 1
            return x, high, low, steps

        x, high, low, steps = jax.lax.cond(
            done, lambda *args: args, false_branch, x, high, low, steps
        )
        i += 1
        return i, done, x, high, low, steps

    _, _, x, _, _, steps = jax.lax.while_loop(
        keep_going, body, (i, done, x, high, low, steps)
    )
    return x, steps


def main():
    for eccentricity in (0.1, 0.95):
        for mean_anomaly in (0.2, 3.0):
            x, steps = solve(mean_anomaly, eccentricity)
            print(f"e={eccentricity} M={mean_anomaly}: E={x:.4f} ({steps} steps)")


if __name__ == "__main__":
    main()
