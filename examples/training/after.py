"""Logistic regression by gradient descent that stops when it gets no better."""

import jax
import jax.numpy as jnp

PATIENCE = 3  # steps without progress before we give up


def loss(params, inputs, labels):
    """Mean cross-entropy of labels 0 and 1."""
    logits = inputs @ params["weights"] + params["bias"]
    return jnp.mean(jnp.logaddexp(0.0, logits) - labels * logits)


def clip(grads, limit):
    """Scale the gradients down if their norm is above `limit`."""
    norm = jnp.sqrt(sum(jnp.sum(g**2) for g in jax.tree.leaves(grads)))

    def update_grads():
        norm = jnp.sqrt(sum(jnp.sum(g**2) for g in jax.tree.leaves(grads)))
        return jax.tree.map(lambda g: g * limit / norm, grads)

    return jax.lax.cond(norm > limit, update_grads, lambda: grads)


@jax.jit
def fit(params, data, held_out, rate, max_steps):
    """Parameters with the least loss on held-out data, that loss, and the steps."""
    best = params
    best_loss = jnp.inf
    waited = 0
    step = 0

    def keep_going(carry):
        step, waited, _, _, _ = carry
        return (step < max_steps) & (waited < PATIENCE)

    def body(carry):
        step, waited, params, best_loss, best = carry
        grads = clip(jax.grad(loss)(params, *data), 1.0)
        params = jax.tree.map(lambda p, g: p - rate * g, params, grads)
        now = loss(params, *held_out)
        waited, best_loss, best = jax.lax.cond(
            now < best_loss - 1e-3,
            lambda: (0, now, params),
            lambda: (waited + 1, best_loss, best),
        )
        step += 1
        return step, waited, params, best_loss, best

    step, _, _, best_loss, best = jax.lax.while_loop(
        keep_going, body, (step, waited, params, best_loss, best)
    )
    return best, best_loss, step


def main():
    key_inputs, key_noise = jax.random.split(jax.random.key(0))
    inputs = jax.random.normal(key_inputs, (60, 2))
    noise = 0.3 * jax.random.normal(key_noise, (60,))
    labels = (inputs @ jnp.array([1.5, -2.0]) + noise > 0).astype(float)
    data = inputs[:40], labels[:40]
    held_out = inputs[40:], labels[40:]
    params = {"weights": jnp.zeros(2), "bias": jnp.zeros(())}
    for rate in (2.0, 50.0):
        best, best_loss, steps = fit(params, data, held_out, rate, 12)
        print(f"rate {rate}: loss {best_loss:.3f} after {steps} steps")
        print(f"    weights {best['weights'].round(2)}")


if __name__ == "__main__":
    main()
