# /// case
# id = "table-04-keys-of-two-parts"
# kind = "concretize-cast"
# expect = "fix"
# findings = [24]
# ///
"""A dict whose keys are all pairs of small numbers is a table of two dimensions."""
import jax
import jax.numpy as jnp

COOPERATE, DEFECT = 0, 1
PAYOFF = {
    (COOPERATE, COOPERATE): (3, 3),
    (COOPERATE, DEFECT): (0, 5),
    (DEFECT, COOPERATE): (5, 0),
    (DEFECT, DEFECT): (1, 1),
}


def play(moves_a, moves_b, discount=0.9):
    score = jnp.zeros(2)
    weight = 1.0
    for a, b in zip(moves_a, moves_b):
        mine, theirs = PAYOFF[int(a), int(b)]
        score = score + weight * jnp.array([mine, theirs])
        weight = weight * discount
    return score


play_jit = jax.jit(play, static_argnames="discount")


def main():
    a, b = [0, 0, 1, 1], [0, 1, 0, 1]
    jax_a, jax_b = jnp.array(a), jnp.array(b)
    del a, b
    return [play_jit(jax_a, jax_b), play_jit(jax_b, jax_a, discount=1.0)]
