"""A bandit with four arms, played epsilon-greedily."""

import jax
import jax.numpy as jnp

PAYOFFS = jnp.array([0.2, 0.5, 0.35, 0.8])


@jax.jit
def choose(key, values, epsilon):
    """Mostly the arm that looks best, sometimes any."""
    key_explore, key_arm = jax.random.split(key)
    return jax.lax.cond(
        jax.random.uniform(key_explore) < epsilon,
        lambda: jax.random.randint(key_arm, (), 0, len(values)),
        lambda: jnp.argmax(values),
    )


@jax.jit
def play(key, epsilon, rounds):
    """Pull an arm in each round: how often each, and what they seem to pay."""
    counts = jnp.zeros(len(PAYOFFS), dtype=int)
    values = jnp.zeros(len(PAYOFFS))
    best_streak = 0
    streak = 0

    def body(i, carry):
        values, counts, streak, best_streak = carry
        key_arm, key_pay = jax.random.split(jax.random.fold_in(key, i))
        arm = choose(key_arm, values, epsilon)
        won = jax.random.uniform(key_pay) < PAYOFFS[arm]
        counts = counts.at[arm].add(1)
        values = values.at[arm].add((won - values[arm]) / counts[arm])
        streak = jnp.where(won, streak + 1, 0)
        best_streak = jnp.where(won, jnp.maximum(best_streak, streak), best_streak)
        return values, counts, streak, best_streak

    values, counts, _, best_streak = jax.lax.fori_loop(
        0, rounds, body, (values, counts, streak, best_streak)
    )
    return counts, values, best_streak


def main():
    for epsilon in (0.1, 0.5):
        counts, values, streak = play(jax.random.key(1), epsilon, 30)
        shown = ", ".join(f"{v:.2f}" for v in values)
        print(f"epsilon {epsilon}: pulls {counts}, payoffs {shown}")
        print(f"    longest streak {streak}")


if __name__ == "__main__":
    main()
