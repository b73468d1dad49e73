# /// case
# id = "if-16-int-enum"
# kind = "traced-if"
# expect = "fix"
# findings = [25, 27, 33]
# ///

import enum

import jax
import jax.numpy as jnp


class Mode(enum.IntEnum):
    IDLE = 0
    CHARGE = 1
    SELL = 2


@jax.jit
def dispatch(soc, price, sun):
    """One hour of a home battery; returns mode, new charge and the bill."""
    mode = Mode.IDLE
    bill = 0.0
    if sun > 1.0 and soc < 10.0:
        mode = Mode.CHARGE
        soc = min(soc + sun, 10.0)
    elif price > 0.3 and soc > 2.0:
        mode = Mode.SELL
        sold = soc - 2.0
        bill = -price * sold
        soc -= sold
    if mode == Mode.IDLE:
        bill += 0.01
    return mode, soc, bill


def main():
    args = [(9.5, 0.1, 2.0), (5.0, 0.5, 0.0), (1.0, 0.5, 0.0), (10.0, 0.4, 3.0), (3.0, 0.2, 0.5)]
    return [dispatch(*(jnp.float32(v) for v in a)) for a in args]
