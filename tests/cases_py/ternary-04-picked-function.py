# /// case
# id = "ternary-04-picked-function"
# kind = "traced-ternary"
# expect = "fix"
# findings = [34, 35, 36, 41]
# grad = true
# ///

import jax
import jax.numpy as jnp


def soft(x, scale=1.0):
    return scale * jnp.tanh(x)


def hard(x, scale=1.0):
    return jnp.clip(x, -scale, scale)


def repeated(x, n):
    for _ in range(n):
        x = 0.5 * x * x
    return x


def power(x, n):
    return x**n


@jax.jit
def run(x, k):
    """What is a Python number, as the count, must not become an operand."""
    y = (soft if k > 2 else hard)(x)
    z = (repeated if not k > 1 else power)(y, 3)
    return z, ((lambda v: v + 1.0) if k == 0 else jnp.sin)(z)


@jax.jit
def scaled(x, k):
    return (soft if k > 2 else hard)(x, scale=0.5)


def main():
    x = jnp.array([0.3, -4.0])
    slope = jax.grad(lambda x, k: scaled(x, k).sum())
    ks = [jnp.int32(k) for k in (0, 2, 3)]
    return [(run(x, k), scaled(x, k), slope(x, k)) for k in ks]
