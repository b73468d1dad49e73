# /// case
# id = "grad-01-singular-before-branch"
# kind = "traced-if"
# expect = "fix"
# findings = [16, 23, 27, 35, 42, 51, 60, 68]
# ///
"""A value with a singular derivative is made before the branch that may not read it."""

import jax
import jax.numpy as jnp


@jax.jit
def kl(p):
    t = p * jnp.log(p)
    out = t if p > 0 else 0.0
    return out


@jax.jit
def kl2(p, q):
    t = p * jnp.log(p)
    if q > 0:
        q = q + 1
    else:
        q = 2.0 * q
    return (t + 1 if p > 0 else 0.0) + q


@jax.jit
def kl3(p):
    # keep me
    t = p * jnp.log(p)
    u = t * 2
    return u if p > 0 else 0.0


@jax.jit
def two(v, w):
    n = jnp.linalg.norm(v)
    m = jnp.sqrt(w)
    if n > 1.0:
        k = v / n
        v = k + k * m
    return v


@jax.jit
def cosine(a, b):
    na, nb = jnp.linalg.norm(a), jnp.linalg.norm(b)
    if na == 0 or nb == 0:
        return 0.0
    return a @ b / (na * nb)


@jax.jit
def cosine2(a, b):
    na = jnp.linalg.norm(a)
    nb = jnp.linalg.norm(b)
    if na == 0 or nb == 0:
        return 0.0
    return a @ b / (na * nb)


@jax.jit
def elif_(v):
    n = jnp.linalg.norm(v)
    if n > 10.0:
        v = v / n
    elif n > 1.0:
        v = v * 2.0
    return v


def main():
    z = jnp.zeros(2)
    out = []
    for f, a in (
        (kl, (0.0,)),
        (kl2, (0.0, 1.0)),
        (kl3, (0.0,)),
        (two, (z, 0.0)),
        (cosine, (z, z)),
        (cosine2, (z, z)),
        (elif_, (z,)),
    ):
        for args in (
            a,
            jax.tree.map(lambda x: x + 1.5, a),
            jax.tree.map(lambda x: x + 20.0, a),
        ):
            out.append(f(*args))
            out.append(
                jax.grad(lambda *x: jnp.sum(f(*x)), argnums=tuple(range(len(a))))(*args)
            )
    return out
