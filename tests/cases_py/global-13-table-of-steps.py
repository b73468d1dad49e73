# /// case
# id = "global-12-table-of-steps"
# kind = "global-capture"
# expect = "fix"
# findings = [16, 20]
# oracle = "eager"
# ///

import jax
import jax.numpy as jnp

rate = 0.1


def sgd(params, grads):
    return params - rate * grads


def signed(params, grads):
    return params - rate * jnp.sign(grads)


STEPS = {"sgd": jax.jit(sgd), "sign": jax.jit(signed)}


class Schedule:
    def __init__(self, factor):
        self.factor = factor

    def advance(self):
        global rate
        rate *= self.factor
        return rate


def train(name, params, schedule, rounds):
    step = STEPS[name]
    for _ in range(rounds):
        params = step(params, 2.0 * params)
        schedule.advance()
    return params


def main():
    global rate
    rate = 0.2
    params = jnp.array([1.0, -3.0])
    out = [train("sgd", params, Schedule(0.5), 3)]
    rate = 0.4
    out.append(train("sign", params, Schedule(0.25), 2))
    return out
