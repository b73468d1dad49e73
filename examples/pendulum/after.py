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

    def keep_going(carry):
        t, _, _, _, _ = carry
        return t < t_end

    def body(carry):
        t, dt, state, refused, taken = carry
        # Do not step over the end.
        dt = jnp.where(t + dt > t_end, t_end - t, dt)
        new, error = heun(state, dt)

        def false_branch(t, dt, state, refused, taken):
            state = new
            t += dt
            taken += 1
            dt = jnp.where(
                error < tol / 8,
                dt * 1.5,  # calm: try a longer step next time
                dt,
            )
            return t, dt, state, refused, taken

        return jax.lax.cond(
            error > tol,
            lambda t, dt, state, refused, taken: (t, dt / 2, state, refused + 1, taken),
            false_branch,
            t,
            dt,
            state,
            refused,
            taken,
        )

    _, _, state, refused, taken = jax.lax.while_loop(
        keep_going, body, (t, dt, state, refused, taken)
    )
    return state, taken, refused


def main():
    for angle in (0.1, 3.0):
        start = jnp.array([angle, 0.0])
        state, taken, refused = swing(start, 1.0, 1e-2)
        print(f"{angle}: {state[0]:.3f} rad, {state[1]:.3f} rad/s")
        print(f"    {taken} steps, {refused} refused")


if __name__ == "__main__":
    main()
