# /// case
# id = "static-09-asks-whether-traced"
# kind = "concretize-cast"
# expect = "clean"
# findings = []
# ///
"""int() is tried and its failure caught; isinstance separates Python numbers from arrays."""
import jax
import jax.numpy as jnp


def as_static(n):
    try:
        return int(n)
    except (TypeError, jax.errors.ConcretizationTypeError):
        return None


@jax.jit
def power(x, n):
    if isinstance(n, (int, float)) and n > 3:
        return x * 0.0
    if not isinstance(n, jax.Array) and not n:
        return jnp.ones_like(x)
    known = as_static(x.ndim)
    if known is not None and known > 1:
        x = x.sum(axis=0)
    if isinstance(x, jax.core.Tracer) and x.shape == (7,):
        x = x[:3]
    return x**n


def main():
    return [power(jnp.array(v), jnp.int32(2)) for v in ([1.0, 2.0], [[1.0, 2.0], [3.0, 4.0]])]
