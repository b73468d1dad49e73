# /// case
# id = "while-14-else-gives-the-name"
# kind = "traced-while"
# expect = "fix"
# findings = [19]
# ///

import jax
import jax.numpy as jnp


@jax.jit
def next_free(used, start):
    """First free slot at or after start, wrapping once; -1 when the table is full."""
    size = used.shape[0]
    probe = 0
    while probe < size:
        slot = (start + probe) % size
        if not used[slot]:
            break
        probe += 1
    else:
        slot = -1
    return slot, probe


def main():
    tables = ([1, 0, 1, 1], [1, 1, 1, 1], [0, 0, 0, 0], [0, 1, 1, 1])
    return [next_free(jnp.array(t, bool), jnp.int32(s)) for t in tables for s in (0, 2)]
