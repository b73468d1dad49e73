"""Metropolis sampling of a two-peaked density."""

import jax
import jax.numpy as jnp


def log_density(x):
    """Two normal peaks, at -2 and 2, the right one three times as heavy."""
    left = -0.5 * (x + 2.0) ** 2
    right = -0.5 * (x - 2.0) ** 2 + jnp.log(3.0)
    return jnp.logaddexp(left, right)


@jax.jit
def metropolis_step(key, x, width):
    """Propose a move and take it or stay; also says whether it was taken."""
    key_move, key_accept = jax.random.split(key)
    proposal = x + width * jax.random.normal(key_move)
    log_ratio = log_density(proposal) - log_density(x)
    # Uphill is always fine, downhill with the probability of the ratio.
    return jax.lax.cond(
        (log_ratio >= 0) | (jnp.log(jax.random.uniform(key_accept)) < log_ratio),
        lambda: (proposal, True),
        lambda: (x, False),
    )


@jax.jit
def chain(key, x, steps, width):
    """Mean and variance over `steps` samples, and the rate of acceptance."""
    total = 0.0
    squares = 0.0
    accepted = 0

    def body(i, carry):
        x, total, squares, accepted = carry
        x, moved = metropolis_step(jax.random.fold_in(key, i), x, width)
        total += x
        squares += x**2
        accepted = jnp.where(moved, accepted + 1, accepted)
        return x, total, squares, accepted

    _, total, squares, accepted = jax.lax.fori_loop(
        0, steps, body, (x, total, squares, accepted)
    )
    mean = total / steps
    return mean, squares / steps - mean**2, accepted / steps


def main():
    key = jax.random.key(0)
    for width in (1.0, 8.0):
        mean, variance, rate = chain(key, 0.0, 40, width)
        print(f"width {width}: mean {mean:.3f}, variance {variance:.3f}")
        print(f"    {rate:.1%} accepted")


if __name__ == "__main__":
    main()
