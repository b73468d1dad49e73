# /// case
# id = "cast-10-products-clean"
# kind = "traced-for"
# expect = "clean"
# findings = []
# ///

"""Everything combinatorial happens on Python integers while tracing."""

import functools
import itertools
import math

import jax
import jax.numpy as jnp


@functools.lru_cache(maxsize=None)
def partitions(n, largest):
    if n == 0:
        return ((),)
    out = []
    for first in range(min(n, largest), 0, -1):
        out += [(first, *rest) for rest in partitions(n - first, first)]
    return tuple(out)


def gray(bits):
    code, seen = 0, []
    while len(seen) < 2**bits:
        seen.append(code)
        flip = len(seen) & -len(seen)
        code ^= flip
    return seen


def parity(perm):
    sign, todo = 1, list(perm)
    for i in range(len(todo)):
        while todo[i] != i:
            j = todo[i]
            todo[i], todo[j] = todo[j], todo[i]
            sign = -sign
    return sign


@jax.jit
def determinant(a):
    n, m = a.shape
    assert n == m, "square"
    total = jnp.zeros((), a.dtype)
    for perm in itertools.permutations(range(n)):
        term = math.prod(a[i, p] for i, p in enumerate(perm))
        total = total + term if parity(perm) > 0 else total - term
    return total


@jax.jit
def features(x):
    powers = [sum(x**k) for k in range(1, 5)]
    bell = sum(math.prod(powers[k - 1] for k in part) for part in partitions(4, 3) if len(part) != 1)
    mixed = [x[i] * x[j] for i, j in itertools.combinations_with_replacement(range(x.size), 2) if (i + j) % 2 == 0]
    order = [c for c in gray(3) if c < x.size]
    return bell, jnp.stack(mixed), x[jnp.array(order)]


def main():
    x = jnp.array([1.0, -2.0, 0.5])
    return [features(x), features(x[:2]), determinant(jnp.outer(x, x) + jnp.eye(3)), determinant(jnp.ones((1, 1)))]
