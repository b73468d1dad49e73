# /// case
# id = "impure-03-environment"
# kind = "impure-call"
# expect = "report"
# findings = [16]
# ///

import os

import jax
import jax.numpy as jnp


@jax.jit
def quantise(x):
    levels = float(os.environ["QUANT_LEVELS"])
    return jnp.round(x * levels) / levels


def main():
    x = jnp.array([0.13, 0.77])
    os.environ["QUANT_LEVELS"] = "4"
    first = quantise(x)
    os.environ["QUANT_LEVELS"] = "10"
    return [first, quantise(x)]
