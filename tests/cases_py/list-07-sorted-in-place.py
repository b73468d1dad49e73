# /// case
# id = "list-07-sorted-in-place"
# kind = "traced-bool-op"
# expect = "fix"
# findings = [16, 18]
# ///
"""A list of traced values is sorted in place, both ways; a copy of it is compared with another list."""
import jax
import jax.numpy as jnp


@jax.jit
def podium(a, b, c):
    times = [a, b, c]
    before = list(times)
    times.sort()
    gaps = [late - early for early, late in zip(times, times[1:])]
    gaps.sort(reverse=True)
    return times, gaps, before[0] == times[0], times[::-1]


def main():
    return [podium(*map(jnp.float32, v)) for v in ((3.0, 1.0, 2.0), (1.0, 2.0, 4.0), (2.0, 2.0, 0.5))]
