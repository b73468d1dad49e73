# /// case
# id = "table-03-tables-of-tables"
# kind = "concretize-cast"
# expect = "fix"
# findings = [21, 22, 38]
# ///

import jax
import jax.numpy as jnp

# payoff[mine][theirs]
PAYOFF = ((3, 0), (5, 1))
NEXT = [[0, 1], [1, 0]]


@jax.jit
def play(moves, start):
    """Pavlov against a fixed list of moves."""
    mine, score = start, 0
    for theirs in moves:
        score += PAYOFF[int(mine)][int(theirs)]
        mine = NEXT[mine][theirs]
    return score, mine


# state -> symbol -> (next state, output)
MACHINE = [
    [(0, 1), (1, 0)],
    [(2, 1), (0, 1)],
    [(1, 0), (2, 2)],
]


@jax.jit
def run(symbols):
    state, out = 0, 0
    for s in symbols:
        state, emitted = MACHINE[state][s]
        out = 3 * out + emitted
    return state, out


def main():
    games = [[0, 1, 1, 0], [1, 1, 1, 1], [0, 0, 0, 0]]
    words = ([0, 1, 0], [1, 1, 1], [1, 0, 1, 0], [1, 0, 0])
    plays = [play(jnp.array(g), s) for g in games for s in (0, 1)]
    return plays, [run(jnp.array(w)) for w in words]
