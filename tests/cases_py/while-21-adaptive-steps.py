# /// case
# id = "while-21-adaptive-steps"
# kind = "traced-while"
# expect = "fix"
# findings = [20, 25, 30]
# ///
"""An adaptive Heun-Euler integrator with rejected steps, state in a dict."""

import jax
import jax.numpy as jnp


def field(t, y):
    return jnp.array([y[1], -y[0] - 0.1 * y[1] + jnp.sin(t)])


@jax.jit
def integrate(y0, t_end, rtol=1e-2):
    s = {"t": 0.0, "y": y0, "h": 0.1, "rejected": 0}
    while s["t"] < t_end:
        h = min(s["h"], t_end - s["t"])
        k1 = field(s["t"], s["y"])
        k2 = field(s["t"] + h, s["y"] + h * k1)
        err = jnp.max(jnp.abs(k2 - k1)) * h / 2
        if err <= rtol:
            s["t"] += h
            s["y"] = s["y"] + h * (k1 + k2) / 2
        else:
            s["rejected"] += 1
        if err > 0:
            s["h"] = 0.9 * h * jnp.clip(jnp.sqrt(rtol / err), 0.2, 5.0)
    return s


def main():
    y = jnp.array([1.0, 0.0])
    return [integrate(y, t) for t in (0.0, 0.05, 2.0)] + [
        integrate(jnp.zeros(2), 1.0, rtol=0.3)
    ]
