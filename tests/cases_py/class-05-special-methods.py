# /// case
# id = "class-05-special-methods"
# kind = "method"
# expect = "fix"
# findings = [47, 48, 50]
# ///
"""Special methods of own classes: reflected, in place, container, NotImplemented, abs and len."""
import jax
import jax.numpy as jnp


class Vec:
    def __init__(self, x, y):
        self.x, self.y = x, y

    def __rmul__(self, k):
        return Vec(k * self.x, k * self.y)

    def __add__(self, other):
        if not isinstance(other, Vec):
            return NotImplemented
        return Vec(self.x + other.x, self.y + other.y)

    def __iadd__(self, other):
        self.x += other.x
        self.y += other.y
        return self

    def __gt__(self, other):
        return self.x**2 + self.y**2 > other.x**2 + other.y**2

    def __eq__(self, other):
        return (self.x == other.x) & (self.y == other.y)

    def __getitem__(self, i):
        return (self.x, self.y)[i]

    def __len__(self):
        return 2


@jax.jit
def f(a, b, k):
    u, v = Vec(a, b), Vec(b, k)
    w = 2.0 * u + v
    w += v
    out = w.x if u > v else w[1]
    if u < v:
        out = out + 1.0
    if not (u == v):
        out = out * 2.0
    if len(w) > 1:
        out = out - 1.0
    return out


def main():
    return [f(*map(jnp.float32, c)) for c in ((1.0, 2.0, 3.0), (3.0, 1.0, 0.0), (2.0, 2.0, 2.0))]
