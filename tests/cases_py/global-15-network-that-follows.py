# /// case
# id = "global-15-network-that-follows"
# kind = "global-capture"
# expect = "fix"
# findings = [24]
# grad = true
# oracle = "eager"
# ///
"""A global that is None at first, then a tree of arrays that follows the parameters."""
import jax
import jax.numpy as jnp

DISCOUNT = 0.5
target = None


def q_values(params, obs):
    return obs @ params["w"] + params["b"]


def td_loss(params, batch):
    """Squared temporal difference of the chosen actions, against the target network."""
    obs, action, reward, following = batch
    ahead = reward + DISCOUNT * q_values(target, following).max(axis=1)
    chosen = jnp.take_along_axis(q_values(params, obs), action[:, None], axis=1)
    return jnp.mean((jax.lax.stop_gradient(ahead) - chosen[:, 0]) ** 2)


@jax.jit
def learn(params, batch, rate):
    loss, grads = jax.value_and_grad(td_loss)(params, batch)
    params = jax.tree.map(lambda p, g: p - rate * g, params, grads)
    return params, loss


def sync(params, tau=1.0):
    global target
    if target is None:
        target = params
    target = jax.tree.map(lambda t, p: (1.0 - tau) * t + tau * p, target, params)


def train(params, batch, rounds, every):
    losses = []
    for step in range(rounds):
        if step % every == 0:
            sync(params, 0.5)
        params, loss = learn(params, batch, rate=0.25)
        losses.append(loss)
    return params, losses


def main():
    global target
    target = None
    params = {"w": jnp.array([[0.5, -1.0], [1.0, 0.25]]), "b": jnp.zeros(2)}
    obs = jnp.array([[1.0, 0.0], [0.5, -1.0], [2.0, 1.0]])
    batch = (obs, jnp.array([0, 1, 1]), jnp.array([1.0, 0.0, -1.0]), obs[::-1])
    return train(params, batch, rounds=5, every=2)
