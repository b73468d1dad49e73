# /// case
# id = "if-12-integer-in-first-round"
# kind = "traced-if"
# expect = "fix"
# findings = [18, 32, 36, 45, 46]
# ///
"""A number is an integer in the first round of a loop and a float in later ones."""

import jax
import jax.numpy as jnp


@jax.jit
def tally(x, bonus):
    score = 0
    streak = 1
    for v in (x, x - 1.0, x * 0.5):
        if v > 0.5:
            score = score + v * streak
            streak += 1
        elif bonus:
            score += 2
            streak = 1
    return score, streak


@jax.jit
def until(x, bonus):
    score = 0
    for i in range(20):
        v = x - i
        if v > 0.5:
            score = score + jnp.log(v)
        elif bonus:
            score += 2
        if score > 3.5:
            break
    return score


@jax.jit
def product(x):
    out = 1
    k = 0
    while k < 3:
        if x > k:
            out = out * jnp.log(x + 2)
            k += 1
        else:
            out = out + 1
            k += 2
    return out


def main():
    pairs = [(jnp.float32(x), b) for x in (-1.0, 0.6, 4.6) for b in (True, False)]
    several = [(tally(x, b), until(x, b)) for x, b in pairs]
    return several, [product(jnp.float32(x)) for x in (-1.0, 0.5, 3.0)]
