# /// case
# id = "method-18-lists-of-two-lengths"
# kind = "method"
# expect = "report"
# findings = [39]
# ///

"""A kernel term gives its real coefficients or its complex ones, never both."""

import dataclasses

import jax
import jax.numpy as jnp


@jax.tree_util.register_dataclass
@dataclasses.dataclass
class OscillatorTerm:
    s0: jax.Array
    w0: jax.Array
    q: jax.Array
    eps: float = dataclasses.field(default=1e-5, metadata=dict(static=True))

    def overdamped(self):
        f = jnp.sqrt(jnp.maximum(1.0 - 4.0 * self.q**2, self.eps))
        a = 0.5 * self.s0 * self.w0 * self.q * jnp.array([1.0 + 1.0 / f, 1.0 - 1.0 / f])
        c = 0.5 * self.w0 / self.q * jnp.array([1.0 - f, 1.0 + f])
        empty = jnp.zeros(0)
        return a, c, empty, empty

    def underdamped(self):
        f = jnp.sqrt(jnp.maximum(4.0 * self.q**2 - 1.0, self.eps))
        a = self.s0 * self.w0 * self.q
        c = 0.5 * self.w0 / self.q
        empty = jnp.zeros(0)
        return empty, empty, jnp.array([a, a / f]), jnp.array([c, c * f])

    def coefficients(self):
        if self.q < 0.5:
            return self.overdamped()
        return self.underdamped()


@jax.jit
def fitted(q):
    term = OscillatorTerm(jnp.float32(1.0), jnp.float32(2.0), q)
    return term.coefficients()


def main():
    return [fitted(jnp.float32(q)) for q in (0.2, 0.6, 2.0)]
