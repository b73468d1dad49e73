# /// case
# id = "method-10-class-of-gains"
# kind = "method"
# expect = "fix"
# findings = [21]
# ///

import functools

import jax
import jax.numpy as jnp


class Amplifier:
    gain = 1.0
    limit = 10.0

    @classmethod
    @functools.partial(jax.jit, static_argnums=0)
    def drive(cls, signal):
        return jnp.clip(cls.gain * signal, -cls.limit, cls.limit)

    @classmethod
    def tune(cls, gain):
        cls.gain = gain
        return cls


class Quiet(Amplifier):
    limit = 1.0


def main():
    Amplifier.gain = 1.0
    signal = jnp.array([-2.0, 0.25, 3.0])
    out = [Amplifier.drive(signal), Quiet.drive(signal)]
    Amplifier.tune(4.0)
    out += [Amplifier.drive(signal), Quiet.drive(signal)]
    Amplifier.tune(0.5)
    out.append(Quiet().drive(signal))
    return out
