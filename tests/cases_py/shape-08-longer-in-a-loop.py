# /// case
# id = "shape-08-longer-in-a-loop"
# kind = "dynamic-shape"
# expect = "report"
# findings = [16]
# ///

import jax
import jax.numpy as jnp


@jax.jit
def tile_to(x, n):
    """Double the buffer until it holds n values."""
    size = x.shape[0]
    while size < n:
        x = jnp.concatenate([x, x])
        size *= 2
    return x


def main():
    return [tile_to(jnp.arange(3.0), jnp.int32(n)) for n in (2, 5, 12)]
