# /// case
# id = "bool-11-best-key"
# kind = "traced-bool-op"
# expect = "report"
# findings = [14, 16, 17]
# ///
"""Keys are ordered by traced values: of an argument, of a local dict, and through sorted."""
import jax
import jax.numpy as jnp


@jax.jit
def winner(votes, a, b):
    name = max(votes, key=votes.get)
    local = {"left": a, "right": b}
    best = min(local, key=local.get)
    names = sorted(["left", "right"], key=local.__getitem__)
    first = sorted(local.items())[0][1]
    return len(name) + len(best) + len(names[0]), first


def main():
    return [winner({"ann": jnp.float32(a), "robert": jnp.float32(2.0)}, jnp.float32(a), jnp.float32(2.0)) for a in (1.0, 3.0)]
