# /// case
# id = "numpy-09-lists-in-makers"
# kind = "numpy-call"
# expect = "fix"
# findings = []
# oracle = "eager"
# ///
"""Lists of numbers and of arrays, in functions that join, and in those that do not."""
import jax
import jax.numpy as jnp
import numpy as np


@jax.jit
def pack(a, b, xs):
    grid = [[a, b], [b, a]]
    out = [
        np.block(grid),
        np.block([[xs], [np.flip(xs)]]),
        np.stack([[a, b], [b, a], [a, a]]),
        np.array([(x, a * x) for x in xs]),
        np.vstack((xs, [a, b, 1.0])),
        np.concatenate([[a], xs, [b, 2]]),
        np.column_stack([xs, xs**2]),
        np.hstack((a, xs)),
        np.asarray([[a, 1], [2, b]], dtype=np.float32),
        np.dstack([xs, xs]),
    ]
    return out


@jax.jit
def extend(a, xs):
    return [
        np.append(xs, a),
        np.append(xs.reshape(1, -1), [[a, a, a]], axis=0),
        np.insert(xs, 1, a),
        np.delete(xs, 0),
        np.diff(xs, prepend=a),
        np.pad(xs, (1, 2), mode="edge"),
        np.pad(xs, 1, constant_values=a),
        np.cross(xs, [1.0, 0.0, 0.0]),
        np.average(xs, weights=[1.0, 2.0, a]),
        np.var(xs, ddof=1),
        np.quantile(xs, [0.25, 0.5]),
        np.cov(xs, xs**2),
        np.linalg.matrix_power(np.outer(xs, xs), 2),
        np.linalg.multi_dot([np.outer(xs, xs), np.outer(xs, xs), xs]),
        np.roll(xs, 1),
        np.full_like(xs, a),
        np.full((2, 2), a),
        np.meshgrid(xs, [0.0, a]),
        np.where(xs > a, xs, [0.0, 1.0, 2.0]),
        np.clip(xs, 0.0, a),
        np.polyval([1.0, a, 2.0], xs),
        np.convolve(xs, [1.0, a], "same"),
        np.select([xs > 1.0, xs > 0.0], [xs, -xs], default=a),
        np.divmod(xs, 2.0),
        np.isclose(xs, a, atol=0.5),
        np.tensordot(xs, xs, axes=1),
        np.take(xs, [0, -1]),
        np.round(xs, 1),
    ]


def main():
    xs = jnp.array([0.25, 1.5, -2.0])
    return [pack(jnp.float32(3.0), jnp.float32(-1.0), xs), extend(jnp.float32(0.5), xs)]
