# /// case
# id = "method-18-parts-of-an-object"
# kind = "method"
# expect = "report"
# findings = [19, 20]
# ///
"""The parts of an object are changed; its jitted method runs theirs in a loop."""
import jax
import jax.numpy as jnp


class Layer:
    def __init__(self, size, act):
        self.w = jnp.arange(1.0, size + 1.0)
        self.act = act
        self.frozen = False

    def forward(self, x):
        h = x * self.w
        if self.frozen:
            h = jax.lax.stop_gradient(h)
        return self.act(h)


class Net:
    def __init__(self, layers):
        self.layers = layers
        self.loss = jax.jit(self._loss)
        self.grad = jax.jit(jax.grad(self._loss))

    def _loss(self, x):
        for layer in self.layers:
            x = layer.forward(x)
        return x.sum()

    def scale(self, by):
        for layer in self.layers:
            layer.w = layer.w * by
        return self


def main():
    x = jnp.array([0.5, -1.0])
    net = Net([Layer(2, jnp.tanh), Layer(2, jnp.abs)])
    out = [net.loss(x), net.grad(x)]
    net.scale(0.5)
    out += [net.loss(x), net.grad(x)]
    net.layers[0].frozen = True
    out += [net.loss(x), net.grad(x)]
    return out
