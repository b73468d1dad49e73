# /// case
# id = "method-16-mapped-in-init"
# kind = "method"
# expect = "fix"
# findings = [24]
# grad = true
# oracle = "eager"
# ///
"""A bound method is mapped, differentiated and jitted where its object is made; an attribute shrinks later."""
import jax
import jax.numpy as jnp


class Langevin:
    """Walkers that climb a mixture of Gaussians while its width shrinks."""

    def __init__(self, centres, width, *, shrink=0.5):
        self.centres = jnp.asarray(centres)
        self.width = width
        self.shrink = shrink
        self.score = jax.jit(jax.vmap(jax.grad(self._log_density)))

    def _log_density(self, x):
        gaps = (x - self.centres) / self.width
        return jax.nn.logsumexp(-0.5 * gaps**2)

    def anneal(self):
        self.width *= self.shrink
        return self.width

    def walk(self, xs, rounds, rate=0.125):
        trail = []
        for _ in range(rounds):
            xs = xs + rate * self.score(xs)
            trail.append(xs)
            self.anneal()
        return trail


def main():
    model = Langevin([-1.0, 0.5, 3.0], 2.0)
    other = Langevin([0.0], width=1.0, shrink=1.0)
    xs = jnp.array([-2.0, 0.0, 1.0])
    out = [model.score(xs), other.walk(xs, 2), model.walk(xs, rounds=3)]
    out.append([model.score(xs), model.width, other.score(xs)])
    return out
