# /// case
# id = "return-09-out-of-a-scope"
# kind = "early-return"
# expect = "fix"
# findings = [16, 21]
# ///

import jax
import jax.numpy as jnp


@jax.jit
def normalize(v, floor):
    with jax.named_scope("norm"):
        size = jnp.sqrt(jnp.sum(v * v))
        if size < floor:
            # too short to have a direction
            return jnp.zeros_like(v), False
    with jax.named_scope("scale"):
        unit = v / size
        if unit[0] < 0:
            unit = -unit
    return unit, True


def main():
    vs = ([3.0, 4.0], [-3.0, 4.0], [0.0, 0.0], [1e-4, 0.0])
    return [normalize(jnp.array(v), jnp.float32(1e-3)) for v in vs]
