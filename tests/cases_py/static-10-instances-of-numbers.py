# /// case
# id = "static-10-instances-of-numbers"
# kind = "traced-if"
# expect = "fix"
# findings = [17, 28]
# ///
"""What is no Python number while tracing, a bool that is an int, and an array or a number by the caller."""
import jax
import jax.numpy as jnp


def scaled(x, k):
    if isinstance(k, (int, float)):
        return x * k if k > 1 else x
    if not isinstance(k, jax.Array):
        raise TypeError("a number or an array")
    if k > 1.0:
        return x * k
    return x


@jax.jit
def f(x, k):
    flag = True
    steps = 2 if isinstance(flag, int) else 3
    if not isinstance(x, jax.Array):
        x = jnp.asarray(x)
    if x > 0:
        x = x + steps
    return scaled(x, k), scaled(x, 3), scaled(x, 0.5)


def main():
    return [f(jnp.float32(x), jnp.float32(k)) for x, k in ((1.0, 2.0), (-1.0, 0.5))]
