# /// case
# id = "cast-05-complex-of-two"
# kind = "concretize-cast"
# expect = "fix"
# findings = [14, 15, 16, 17]
# ///
"""complex() of two traced parts, of one and of a constant."""
import jax
import jax.numpy as jnp


@jax.jit
def f(a, b):
    z = complex(a, b)
    w = complex(jnp.sin(a), jnp.cos(b))
    v = complex(0.5, b)
    u = complex(a)
    return z * w, abs(v), u.conjugate()


def main():
    return [f(jnp.float32(a), jnp.float32(b)) for a, b in ((1.0, 2.0), (0.0, -1.0))]
