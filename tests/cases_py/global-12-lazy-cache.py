# /// case
# id = "global-12-lazy-cache"
# kind = "side-effect-state"
# expect = "report"
# findings = [17]
# ///
"""A helper keeps its first result in a module global: under jit that is a tracer, which leaks into the next call."""
import jax
import jax.numpy as jnp

_norm = None


def norm_of(x):
    global _norm
    if _norm is None:
        _norm = jnp.sqrt(jnp.sum(x * x))
    return _norm


@jax.jit
def unit(x):
    return x / norm_of(x)


def main():
    global _norm
    _norm = None
    return [unit(jnp.array(v, jnp.float32)) for v in ([3.0, 4.0], [6.0, 8.0])]
