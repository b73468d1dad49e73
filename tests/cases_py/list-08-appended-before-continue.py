# /// case
# id = "list-08-appended-before-continue"
# kind = "nested"
# expect = "fix"
# findings = [27, 33, 38, 39, 41]
# grad = true
# tolerance = 1e-4
# oracle = "want"
# want = "[[[0.4809161, 0.1908397], [0.5763359, 0.1908397], [1.457653, 0.9050213], [1.910163, 0.9050213], [2.478423, 0.9741376], [3.148512, 1.077419]], -3.250504, 2, [[0.4315069, 0.1712329], [0.5171233, 0.1712329], [1.369095, 0.7683304], [1.75326, 0.7683304], [2.420418, 0.9234286], [3.096046, 1.02968]], -4.595721, 2, [[3.011029, 1.194853], [2.748557, 0.0767107], [2.786913, 0.0767107], [1.668993, -0.7484233], [1.294781, -0.7484233], [0.5972052, -0.909445]], -4.473216, 2, -1.740043, -0.5316105]"
# ///
"""A bad reading is passed over with continue; both ways append to the path."""
import jax
import jax.numpy as jnp
import numpy as np

F = np.array([[1.0, 0.5], [0.0, 1.0]], dtype=np.float32)
H = np.array([1.0, 0.0], dtype=np.float32)


@jax.jit
def smooth(readings, noise, gate=3.0):
    x, p = np.zeros(2, np.float32), 10.0 * np.eye(2, dtype=np.float32)
    path, likelihood, skipped = [], 0.0, 0
    for z in readings:
        x = F @ x
        p = F @ p @ F.T + 0.1 * np.eye(2, dtype=np.float32)
        if jnp.isnan(z):
            skipped += 1
            path.append(x)
            continue
        gap = z - H @ x
        s = H @ p @ H + noise
        if gap**2 > gate**2 * s:
            skipped += 1
        else:
            k = p @ H / s
            x = x + k * gap
            p = p - np.outer(k, H @ p)
            likelihood -= 0.5 * (np.log(s) + gap**2 / s)
        path.append(x)
    return np.stack(path), likelihood, skipped


def main():
    readings = jnp.array([0.5, jnp.nan, 1.5, 50.0, 2.5, 3.25])
    out = [smooth(readings, jnp.float32(n)) for n in (0.5, 2.0)]
    out.append(smooth(readings[::-1], 1.0, gate=jnp.float32(1.0)))
    slope = jax.grad(lambda n: smooth(readings, n)[1])
    return [out, slope(0.5), slope(2.0)]
