# /// case
# id = "static-13-written-as-a-text"
# kind = "static-arg"
# expect = "fix"
# findings = [14, 21, 29, 30, 30]
# ///
"""The text of a tracer is not that of its number: what is written has to be static."""

import jax
import jax.numpy as jnp


def is_palindrome(n):
    text = str(n)
    return text == text[::-1]


@jax.jit
def total_of_palindromes(n):
    out = 0
    for i in range(1, n):
        if is_palindrome(i):
            out += i
    return out


@jax.jit
def damped(params, layers, x):
    for i in range(layers):
        params = params | {f"w{i}": params[f"w{i}"] * 0.5}
    if x.ndim > 1:
        raise ValueError(f"{x} is no vector")
    return params, x


def main():
    params = {"w0": jnp.float32(2.0), "w1": jnp.float32(3.0)}
    return (
        total_of_palindromes(30),
        total_of_palindromes(9),
        damped(params, 1, params["w0"]),
    )
