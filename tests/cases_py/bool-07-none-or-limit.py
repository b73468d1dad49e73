# /// case
# id = "bool-07-none-or-limit"
# kind = "traced-bool-op"
# expect = "fix"
# findings = [24, 27]
# ///

from dataclasses import dataclass

import jax
import jax.numpy as jnp


@dataclass(frozen=True)
class Limits:
    top: float | None = None
    bottom: float | None = None
    soft: bool = False


def press(x, limits):
    """Only the limits that are configured count."""
    hit = 0
    if limits.top is not None and x > limits.top:
        x = limits.top + (0.1 * (x - limits.top) if limits.soft else 0.0)
        hit = 1
    if limits.bottom is not None and x < limits.bottom:
        x = limits.bottom
        hit = hit or 2
    return x, hit


press_fast = jax.jit(press, static_argnames="limits")


def main():
    settings = (Limits(), Limits(top=1.0), Limits(top=1.0, bottom=-1.0, soft=True), Limits(bottom=0.5))
    return [press_fast(jnp.float32(x), limits=s) for s in settings for x in (-2.0, 0.5, 3.0)]
