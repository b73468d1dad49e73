"""How far a cannon ball flies, by angle and drag, and the best angle for a drag."""

import jax
import jax.numpy as jnp

GRAVITY = 9.81  # m/s^2
SPEED = 50.0  # m/s
DT = 0.2  # s


def fly(position, velocity, drag):
    """One step of the flight."""
    speed = jnp.sqrt(jnp.sum(velocity**2))
    pull = jnp.array([0.0, -GRAVITY]) - drag * speed * velocity
    return position + DT * velocity, velocity + DT * pull


def distance(angle, drag, steps=8):
    """Where the ball is after `steps` steps, in metres; on the ground it rolls no more."""
    position = jnp.zeros(2)
    velocity = SPEED * jnp.array([jnp.cos(angle), jnp.sin(angle)])
    for _ in range(steps):
        ahead, velocity = fly(position, velocity, drag)
        position = jnp.where(ahead[1] < 0, position, ahead)
    return position[0]


def main():
    angles = [0.2, 0.5, 0.8]
    for drag in (0.0, 0.01, 0.05):
        shoot = jax.jit(lambda angle: distance(angle, drag))
        reached = [shoot(angle) for angle in angles]
        text = ", ".join(f"{r:.1f} m" for r in reached)
        print(f"drag {drag}: {text}")
        slope = jax.jit(jax.grad(lambda angle: distance(angle, drag)))
        print(f"    steeper by 0.1: {0.1 * slope(0.2):+.1f} m")


if __name__ == "__main__":
    main()
