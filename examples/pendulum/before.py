"""A damped pendulum, integrated with a step size that follows the error."""

import jax
import jax.numpy as jnp

GRAVITY = 9.81  # m/s^2
LENGTH = 1.0  # m
DAMPING = 0.3  # 1/s


def slope(state):
    """Time derivative of (angle, angular velocity)."""
    angle, velocity = state
    pull = -GRAVITY / LENGTH * jnp.sin(angle)
    return jnp.array([velocity, pull - DAMPING * velocity])


def heun(state, dt):
    """One step of Heun's method, and how far Euler's would have been off."""
    k1 = slope(state)
    k2 = slope(state + dt * k1)
    new = state + dt * (k1 + k2) / 2
    error = jnp.max(jnp.abs(k2 - k1)) * dt / 2
    return new, error


@jax.jit
def swing(state, t_end, tol):
    """The state at `t_end`, the steps taken and the steps refused."""
    t = 0.0
    dt = 0.01
    taken = 0
    refused = 0
    while t < t_end:
        # Do not step over the end.
        if t + dt > t_end:
            dt = t_end - t
        new, error = heun(state, dt)
        if error > tol:
            dt = dt / 2
            refused += 1
            continue
        state = new
        t += dt
        taken += 1
        if error < tol / 8:
            dt = dt * 1.5  # calm: try a longer step next time
    return state, taken, refused


def main():
    for angle in (0.1, 3.0):
        start = jnp.array([angle, 0.0])
        state, taken, refused = swing(start, 1.0, 1e-2)
        print(f"{angle}: {state[0]:.3f} rad, {state[1]:.3f} rad/s")
        print(f"    {taken} steps, {refused} refused")


if __name__ == "__main__":
    main()
