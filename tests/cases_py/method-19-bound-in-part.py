# /// case
# id = "method-19-bound-in-part"
# kind = "method"
# expect = "report"
# findings = [22]
# ///
"""A partial of a bound method has a name; what it calls reads an attribute that changes."""
import functools

import jax
import jax.numpy as jnp


class Field:
    def __init__(self, strength):
        self.strength = strength
        self.count = 0
        self.trace = jax.jit(self._trace)
        self.many = jax.jit(jax.vmap(functools.partial(self._trace, steps=2)))

    def force(self, x):
        return -self.strength * x

    def _push(self, dt, x):
        return x + dt * self.force(x)

    def _trace(self, x, steps=3):
        push = functools.partial(self._push, 0.1)
        for _ in range(steps):
            x = push(x)
        return jax.lax.fori_loop(0, 2, lambda i, v: push(v), x)

    def weaken(self):
        self.strength = self.strength * 0.5
        self.count += 1
        return self.count


def main():
    x = jnp.array([1.0, -2.0])
    field, other = Field(1.0), Field(-2.0)
    out = []
    for _ in range(3):
        out.append([field.trace(x), field.many(x), other.trace(x=x), field.weaken()])
        other.strength += 1.0
    return out
