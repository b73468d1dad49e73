# /// case
# id = "for-09-odd-targets"
# kind = "traced-if"
# expect = "fix"
# findings = [19, 22, 24]
# ///
"""The targets of static loops are an attribute, an item and a starred tuple; the bodies branch on data."""
import types

import jax
import jax.numpy as jnp


@jax.jit
def sweep(xs, ys):
    t = types.SimpleNamespace(pos=0.0, best=0.0)
    slot = [0.0, 0.0]
    for t.pos in (0.5, 1.5, 2.5):
        if xs[0] > t.pos:
            t.best = t.best + t.pos
    for slot[1] in xs:
        slot[0] = slot[0] + (slot[1] if slot[1] > 1.0 else 0.0)
    for head, *rest in ((xs, ys, 1.0), (ys, xs, 2.0)):
        if head[0] > rest[0][0]:
            slot[0] = slot[0] * rest[-1]
    return t.pos, t.best, slot


def main():
    xs = jnp.array([2.0, 0.5, 3.0], jnp.float32)
    return [sweep(xs, xs[::-1]), sweep(xs[::-1], xs), sweep(-xs, xs * 0.1)]
