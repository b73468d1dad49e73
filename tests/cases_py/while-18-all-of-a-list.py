# /// case
# id = "while-18-all-of-a-list"
# kind = "traced-while"
# expect = "fix"
# findings = [19]
# tolerance = 1e-4
# ///

import jax
import jax.numpy as jnp


@jax.jit
def couple(a, b, damping):
    """Two coupled unknowns, relaxed until neither of them moves."""
    x, y = 0.0, 0.0
    moves = [1.0, 1.0]
    rounds = 0
    while rounds < 50 and not all(abs(m) < 1e-3 for m in moves):
        nx = a - damping * y
        ny = b + damping * jnp.tanh(x)
        moves = [nx - x, ny - y]
        x, y = nx, ny
        rounds += 1
    return (x, y), rounds


def main():
    return [couple(a, b, d) for a, b, d in ((0.0, 0.0, 0.5), (1.0, 2.0, 0.3), (0.5, -1.0, 0.9), (3.0, 0.0, 0.0))]
