# /// case
# id = "while-23-newton-from-a-factory"
# kind = "traced-while"
# expect = "fix"
# findings = [20, 23]
# ///
"""jax.jit is applied to a closure made in a factory; the derivative comes from jax.grad."""

import jax
import jax.numpy as jnp


def make_newton(f, maxiter=25):
    df = jax.grad(f)

    def solve(x0):
        x, it = x0, 0
        while True:
            fx = f(x)
            if abs(fx) < 1e-5 or it == maxiter:
                break
            slope = df(x)
            if slope == 0:
                x += 1e-3
            else:
                x -= fx / slope
            it += 1
        return x, it

    return jax.jit(solve)


newton_cos = make_newton(lambda x: jnp.cos(x) - x)
newton_sq = make_newton(lambda x: x * x + 1.0, maxiter=6)


def main():
    return [newton_cos(v) for v in (0.0, 1.0, 0.739085)] + [
        newton_sq(v) for v in (0.0, 0.7)
    ]
