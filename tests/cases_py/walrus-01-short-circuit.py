# /// case
# id = "walrus-01-short-circuit"
# kind = "traced-while"
# expect = "fix"
# findings = [15]
# ///
"""The loop condition binds two names, the second one only where the first test holds."""
import jax
import jax.numpy as jnp


@jax.jit
def solve(x, tol):
    k = 0
    while (err := jnp.abs(x * x - 2.0)) > tol and (k := k + 1) < 6:
        x = 0.5 * (x + 2.0 / x)
    return x, err, k


def main():
    return [solve(jnp.float32(x), jnp.float32(t)) for x in (1.0, 9.0) for t in (5.0, 0.1, 0.0)]
