# /// case
# id = "state-12-items-from-both-ends"
# kind = "traced-for"
# expect = "fix"
# findings = [15, 25]
# ///
"""`cells[2]` and `cells[-1]` are one item of a list of three: a loop and a branch change it by both indices."""
import jax
import jax.numpy as jnp


@jax.jit
def pump(x, n):
    cells = [0.0, 0.0, x]
    for _ in range(n):
        cells[2] = cells[2] + 1.0
        cells[-1] = cells[-1] * 2.0
        cells[0] = cells[-3] + cells[-1]
    return cells


@jax.jit
def settle(x):
    cells = [0.0, 0.0, x]
    if x > 1.0:
        cells[2] = cells[2] + 1.0
        cells[0] = cells[-1] * 2.0
        cells[-1] = cells[-1] + cells[0]
    else:
        cells[-3] = 1.0
    return cells


def main():
    return [pump(jnp.float32(x), jnp.int32(n)) for x in (0.5, 2.0) for n in (0, 1, 2)], [settle(jnp.float32(x)) for x in (0.0, 4.0)]
