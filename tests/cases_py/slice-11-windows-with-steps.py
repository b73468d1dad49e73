# /// case
# id = "slice-11-windows-with-steps"
# kind = "dynamic-shape"
# expect = "fix"
# findings = [15, 17]
# ///
"""Windows of static width with a step, on both axes."""
import jax
import jax.numpy as jnp


@jax.jit
def f(x, m, i):
    i = jnp.clip(i, 0, 2)
    a = x[i : i + 4 : 2]
    b = m[i : i + 1, ::2]
    c = m[1:, i : i + 2 : 2]
    return a, b, c


def main():
    return [f(jnp.arange(8.0), jnp.arange(12.0).reshape(3, 4), jnp.int32(i)) for i in (0, 1, 2)]
