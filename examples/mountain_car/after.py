"""The mountain car: an environment for reinforcement learning, and a policy."""

from typing import NamedTuple

import jax
import jax.numpy as jnp

LEFT, COAST, RIGHT = 0, 1, 2
GOAL = 0.5


class Car(NamedTuple):
    position: jax.Array
    velocity: jax.Array


@jax.jit
def step(car, action):
    """One step of the car: the new state, the reward and whether it is over."""
    push = jnp.where(action == LEFT, -0.001, jnp.where(action == RIGHT, 0.001, 0.0))
    velocity = car.velocity + push - 0.0025 * jnp.cos(3 * car.position)
    velocity = jnp.clip(velocity, -0.07, 0.07)
    position = car.position + velocity
    below = position < -1.2  # the wall on the left stops the car
    position = jnp.where(below, -1.2, position)
    velocity = jnp.where(below, 0.0, velocity)
    done = (position >= GOAL) & (velocity >= 0)
    reward = jnp.where(done, 0.0, -1.0)
    return Car(position, velocity), reward, done


@jax.jit
def policy(car):
    """Push in the direction of motion."""
    return jnp.where(car.velocity > 0, RIGHT, LEFT)


@jax.jit
def rollout(car, max_steps):
    """The return of one episode, and its length."""
    score = 0.0
    steps = 0
    done = False

    def keep_going(carry):
        done, steps, _, _ = carry
        return ~done & (steps < max_steps)

    def body(carry):
        _, steps, car, score = carry
        car, reward, done = step(car, policy(car))
        score += reward
        steps += 1
        return done, steps, car, score

    _, steps, _, score = jax.lax.while_loop(keep_going, body, (done, steps, car, score))
    return score, steps


def main():
    for start in (-0.4, 0.3):
        car = Car(jnp.array(start), jnp.array(0.0))
        score, steps = rollout(car, 500)
        print(f"from {start}: {steps} steps, score {score:.0f}")


if __name__ == "__main__":
    main()
