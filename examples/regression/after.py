"""Least squares by gradient descent, at a rate that is halved as we go."""

import jax
import jax.numpy as jnp

learning_rate = 0.1


def loss(weights, inputs, targets):
    """Mean squared error."""
    return jnp.mean((inputs @ weights - targets) ** 2)


@jax.jit
def train_step(weights, inputs, targets, learning_rate):
    """One step downhill."""
    return weights - learning_rate * jax.grad(loss)(weights, inputs, targets)


def train(weights, inputs, targets, epochs=4, steps=5):
    """Several epochs; the rate is halved after each."""
    global learning_rate
    for epoch in range(epochs):
        for _ in range(steps):
            weights = train_step(weights, inputs, targets, learning_rate)
        print(f"epoch {epoch}: loss {loss(weights, inputs, targets):.4f}")
        learning_rate = learning_rate / 2
    return weights


def main():
    key = jax.random.key(5)
    inputs = jax.random.normal(key, (32, 3))
    targets = inputs @ jnp.array([1.0, -2.0, 0.5]) + 0.1
    weights = train(jnp.zeros(3), inputs, targets)
    print("weights", [f"{w:.3f}" for w in weights])


if __name__ == "__main__":
    main()
