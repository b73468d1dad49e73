# /// case
# id = "method-01-call-on-pytree-class"
# kind = "method"
# expect = "fix"
# findings = [21]
# ///
"""`__call__` of a class that is registered as a pytree, compiled at its use."""

import jax
import jax.numpy as jnp


@jax.tree_util.register_pytree_node_class
class Spring:
    def __init__(self, stiffness, limit):
        self.stiffness = stiffness
        self.limit = limit

    def __call__(self, stretch):
        force = -self.stiffness * stretch
        if jnp.abs(force) > self.limit:
            force = jnp.sign(force) * self.limit
        return force

    def tree_flatten(self):
        return (self.stiffness, self.limit), None

    @classmethod
    def tree_unflatten(cls, _, children):
        return cls(*children)


@jax.jit
def push(spring, stretch):
    return spring(stretch) * 2.0


def main():
    spring = Spring(jnp.float32(3.0), jnp.float32(4.0))
    return [push(spring, jnp.float32(v)) for v in (0.5, 2.0, -9.0, 0.0)]
