# /// case
# id = "while-15-bound-in-first-round"
# kind = "break-continue"
# expect = "fix"
# findings = [18, 27, 28, 37, 39]
# ///
"""`while True` runs at least once: what only its body binds, a number or a vector, has a value after it."""
import jax
import jax.numpy as jnp


@jax.jit
def grow(x, m):
    rounds = 0
    while True:
        v = m * x
        rounds += 1
        if v.sum() > 10.0:
            break
        x = x + 1.0
    return x, v, rounds


@jax.jit
def first_above(x):
    while True:
        if x > 3.0:
            why = 2 if x > 8.0 else 1
            break
        x = x * 1.5
    return x, why


@jax.jit
def read_prefix(xs, n):
    i, total = 0, 0.0
    while i < n and (v := xs[i]) < 3.0:
        i += 1
        if v < 0:
            continue
        total += v
    return total, i


def main():
    m = jnp.arange(3.0)
    xs = jnp.array([1.0, -2.0, 2.0, 5.0])
    grown = [grow(jnp.float32(x), m) for x in (0.0, 30.0)]
    return grown, [first_above(jnp.float32(x)) for x in (1.0, 4.0, 9.0)], [read_prefix(xs, jnp.int32(n)) for n in (0, 1, 3, 4)]
