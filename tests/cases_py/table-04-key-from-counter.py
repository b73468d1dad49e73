# /// case
# id = "table-04-key-from-counter"
# kind = "traced-for"
# expect = "report"
# findings = [14]
# ///
"""The key is spelled with the counter of a loop whose length is traced: no such key can be looked up in the compiled program."""
import jax
import jax.numpy as jnp


@jax.jit
def forward(params, x, depth):
    for i in range(depth):
        x = jnp.tanh(params[f"w{i}"] @ x + params[f"b{i}"])
    return x


def main():
    params = {f"w{i}": jnp.eye(2) * (i + 1) for i in range(3)} | {f"b{i}": jnp.ones(2) * i for i in range(3)}
    return [forward(params, jnp.array([0.5, -0.5]), jnp.int32(d)) for d in (1, 3)]
