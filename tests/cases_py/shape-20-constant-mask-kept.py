# /// case
# id = "shape-20-constant-mask-kept"
# kind = "dynamic-shape"
# expect = "fix"
# findings = [15]
# ///
"""The mask is a constant, but it is made with jax.numpy inside jit, and so is traced."""
import jax
import jax.numpy as jnp


@jax.jit
def outer_mean(x):
    mask = jnp.array([True, False, False, True])
    edge = x[mask]
    return edge * 2.0, x[jnp.array([0, 2])]


def main():
    return [outer_mean(jnp.array(v)) for v in ([1.0, 2.0, 3.0, 5.0], [0.0, 1.0, 1.0, -2.0])]
