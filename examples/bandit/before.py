"""A bandit with four arms, played epsilon-greedily."""

import jax
import jax.numpy as jnp
import numpy as np

PAYOFFS = jnp.array([0.2, 0.5, 0.35, 0.8])


@jax.jit
def choose(key, values, epsilon):
    """Mostly the arm that looks best, sometimes any."""
    key_explore, key_arm = jax.random.split(key)
    if jax.random.uniform(key_explore) < epsilon:
        arm = jax.random.randint(key_arm, (), 0, len(values))
    else:
        arm = jnp.argmax(values)
    return arm


@jax.jit
def play(key, epsilon, rounds):
    """Pull an arm in each round: how often each, and what they seem to pay."""
    counts = np.zeros(len(PAYOFFS), dtype=int)
    values = np.zeros(len(PAYOFFS))
    best_streak = 0
    streak = 0
    for i in range(rounds):
        key_arm, key_pay = jax.random.split(jax.random.fold_in(key, i))
        arm = choose(key_arm, values, epsilon)
        won = jax.random.uniform(key_pay) < PAYOFFS[arm]
        counts[arm] += 1
        values[arm] += (won - values[arm]) / counts[arm]
        if won:
            streak += 1
            best_streak = max(best_streak, streak)
        else:
            streak = 0
    return counts, values, best_streak


def main():
    for epsilon in (0.1, 0.5):
        counts, values, streak = play(jax.random.key(1), epsilon, 30)
        shown = ", ".join(f"{v:.2f}" for v in values)
        print(f"epsilon {epsilon}: pulls {counts}, payoffs {shown}")
        print(f"    longest streak {streak}")


if __name__ == "__main__":
    main()
