# /// case
# id = "bool-17-all-of-no-leaves"
# kind = "closure-capture"
# expect = "fix"
# findings = [41, 53, 55, 57]
# ///

"""A gradient transformation as an (init, update) pair that refuses bad gradients."""

from typing import Any, Callable, NamedTuple

import jax
import jax.numpy as jnp


class Transform(NamedTuple):
    init: Callable
    update: Callable


class GuardState(NamedTuple):
    inner: Any
    bad_in_a_row: jax.Array
    total_bad: jax.Array


def trace(decay):
    def init(params):
        return jax.tree.map(jnp.zeros_like, params)

    def update(grads, state):
        state = jax.tree.map(lambda g, m: g + decay * m, grads, state)
        return state, state

    return Transform(init, update)


def all_finite(tree):
    ok = True
    for leaf in jax.tree.leaves(tree):
        ok = ok and jnp.all(jnp.isfinite(leaf))
    return ok


def guard(inner, patience, reset=False):
    """Skips an update that is not finite; after `patience` of them lets it through."""

    def init(params):
        return GuardState(inner.init(params), jnp.int32(0), jnp.int32(0))

    def update(grads, state):
        good = all_finite(grads)
        bad = 0 if good else state.bad_in_a_row + 1
        total = state.total_bad
        if not good:
            total = total + 1
        if good or bad > patience:
            updates, inner_state = inner.update(grads, state.inner)
        else:
            updates = jax.tree.map(jnp.zeros_like, grads)
            inner_state = inner.init(grads) if reset else state.inner
        return updates, GuardState(inner_state, bad, total)

    return Transform(init, update)


opt = guard(trace(0.5), patience=1)
careful = guard(trace(0.9), patience=5, reset=True)


def run(opt, grads):
    step = jax.jit(opt.update)
    state = opt.init(grads[0])
    out = []
    for g in grads:
        updates, state = step(g, state)
        out.append(updates)
    return out, state


def main():
    good = {"w": jnp.array([1.0, 2.0]), "b": jnp.float32(0.5)}
    bad = {"w": jnp.array([1.0, jnp.inf]), "b": jnp.float32(0.5)}
    return [run(opt, [good, bad, good, bad, bad]), run(careful, [good, bad, good])]
