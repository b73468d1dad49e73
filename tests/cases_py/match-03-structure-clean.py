# /// case
# id = "match-03-structure-clean"
# kind = "traced-if"
# expect = "clean"
# findings = []
# ///

import jax
import jax.numpy as jnp


@jax.jit
def flatten(batch):
    """Every pattern speaks of structure: shapes, types, keys."""
    match batch:
        case {"x": x, "mask": mask}:
            x = x * mask
        case {"x": x}:
            pass
        case (x, None):
            x = -x
        case (x, scale):
            x = x * scale
        case _:
            x = batch
    match x.shape:
        case ():
            return x[None]
        case (n,) if n % 2:
            return x[:-1]
        case (_,):
            return x
        case (rows, cols, *rest):
            return x.reshape(rows * cols, -1) if rest else x.ravel()


def main():
    v = jnp.arange(6.0)
    return [
        flatten({"x": v, "mask": v > 2}),
        flatten({"x": v[:3]}),
        flatten((v, None)),
        flatten((v, 2.0)),
        flatten(jnp.float32(2.0)),
        flatten(v.reshape(2, 3)),
        flatten(v.reshape(1, 2, 3)),
    ]
