# /// case
# id = "recompile-01-lambda-in-method"
# kind = "recompile"
# expect = "fix"
# findings = [24]
# oracle = "want"
# want = "[[2.0, 4.0, 6.0], 1]"
# ///
"""A method makes a new compiled lambda at each call, so that each call compiles."""

import jax
import jax.numpy as jnp

TRACES = []


def double(x):
    TRACES.append(1)
    return 2.0 * x


class Model:
    def predict(self, x):
        return jax.jit(lambda v: double(v))(x)


def main():
    TRACES.clear()
    model = Model()
    results = [model.predict(jnp.float32(v)) for v in (1.0, 2.0, 3.0)]
    return [results, len(TRACES)]
