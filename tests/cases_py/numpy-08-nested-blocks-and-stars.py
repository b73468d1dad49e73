# /// case
# id = "numpy-08-nested-blocks-and-stars"
# kind = "numpy-call"
# expect = "fix"
# findings = [19, 23, 24, 32, 33, 34]
# tolerance = 1e-4
# oracle = "eager"
# ///
"""NumPy in a lambda of tree.map, blocks whose nesting is their place, arguments out of a tuple."""
import jax
import jax.numpy as jnp
import numpy as np

ORDER = np.array([[0, 1], [1, 0]], dtype=np.float32)


def lagged(coords):
    """Each coordinate one sample late; the first one is its own predecessor."""
    return jax.tree.map(lambda c: np.append(c[0], c[:-1]), coords)


def rotation(angle):
    c, s = np.cos(angle), np.sin(angle)
    return np.block([[c, -s], [s, c]])


@jax.jit
def transitions(coords, scales, turn):
    before = lagged(coords)
    dt = coords["t"] - before["t"]
    size = int(np.sqrt(np.prod(ORDER.shape)))
    decay = np.exp(-np.outer(dt, 1.0 / scales))
    frame = np.kron(np.eye(size), rotation(turn))
    drift = np.hypot(*(coords["x"] - before["x"], dt))
    return {"decay": decay, "frame": frame @ np.kron(ORDER, ORDER), "drift": drift}


def main():
    coords = {"t": jnp.array([0.0, 0.5, 2.0]), "x": jnp.array([1.0, -1.0, 0.25])}
    out = [transitions(coords, jnp.array([0.5, 2.0]), turn) for turn in (0.0, 1.5, -0.25)]
    late = jax.tree.map(lambda c: 2.0 * c, coords)
    return [out, transitions(late, jnp.array([1.0, 10.0]), 0.5)]
