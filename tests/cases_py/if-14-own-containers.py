# /// case
# id = "if-14-own-containers"
# kind = "traced-if"
# expect = "fix"
# findings = [16, 32, 47, 49, 59, 70]
# ///
"""Lists and dicts that a branch or a loop makes for itself may change, and be deleted."""

import jax
import jax.numpy as jnp


@jax.jit
def reduce_pair(a, b):
    total = a + b
    if a > b:
        parts = [a, b]
        parts.append(a * b)
        total = sum(parts)
        del parts
    else:
        scratch = {"d": b - a}
        scratch["twice"] = 2 * scratch["d"]
        total = total - scratch["twice"]
        del scratch["d"], scratch
    return total


@jax.jit
def own_in_loop(x, n):
    s = 0.0
    for i in range(n):
        parts = []
        for k in range(3):
            parts.append(x * k + i)
        parts[0] = 5.0
        d = {"a": x}
        d["b"] = i
        s = s + sum(parts) + d["a"] * d["b"]
        del d, parts
    return s


@jax.jit
def own_nested(x):
    y = x
    if x > 0:
        d = {"k": 0.0}
        if x > 1:
            d["k"] = x
        else:
            d["k"] += 2.0
        y = d["k"]
    return y


@jax.jit
def own_output(x):
    if x > 0:
        d = [x]
        d.append(x * 2)
    else:
        d = [0.0, 1.0]
        d[1] = -x
    return d


@jax.jit
def own_return(x):
    if x > 0:
        acc = {}
        acc["p"] = x
        acc["q"] = jnp.sin(x)
        return acc
    return {"p": 0.0, "q": -x}


def main():
    pairs = ((3.0, 2.0), (2.0, 3.0), (1.0, 1.0))
    found = [reduce_pair(jnp.float32(a), jnp.float32(b)) for a, b in pairs]
    numbers = [jnp.float32(x) for x in (-2.0, 0.5, 3.0)]
    loops = [own_in_loop(x, jnp.int32(n)) for x in numbers for n in (0, 3)]
    return found, loops, [(own_nested(x), own_output(x), own_return(x)) for x in numbers]
