# /// case
# id = "state-10-items-just-made"
# kind = "traced-if"
# expect = "fix"
# findings = [18, 31]
# ///

import jax
import jax.numpy as jnp


@jax.jit
def counted(values, level):
    """Every round makes the item that its branches change."""
    found = {}
    for name, v in zip("abcd", values):
        found[name] = 0
        if v > level:
            found[name] = 1
        elif v == level:
            found[name] = found[name] + 2
    return found


@jax.jit
def scaled(values, level):
    out = {"low": 0.0}
    for k in range(3):
        out["low"] = values[k]
        out["high"] = values[k]
        if values[k] > level:
            out["high"] *= 2.0
            out["low"] -= 1.0
        values = values + out["high"]
    return out


def main():
    v = jnp.array([1.0, 2.0, -1.0, 0.0])
    return [(counted(v, k), scaled(v, k)) for k in (jnp.int32(n) for n in (-2, 0, 1, 5))]
