# /// case
# id = "numpy-10-joined-by-subscripts"
# kind = "numpy-call"
# expect = "fix"
# findings = [16, 17]
# oracle = "eager"
# ///
"""np.r_ and np.c_ join tracers; on constants they stay."""
import jax
import jax.numpy as jnp
import numpy as np


@jax.jit
def joined(a, xs):
    ring = np.r_[a, xs, xs[:1]]
    table = np.c_[xs, xs * a]
    return ring, table, np.r_[0:3], xs[np.ix_([0, 2])]


def main():
    xs = jnp.array([0.25, 1.5, -2.0])
    return [joined(jnp.float32(a), xs) for a in (1.0, -1.0)]
