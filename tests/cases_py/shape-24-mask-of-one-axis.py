# /// case
# id = "shape-24-mask-of-one-axis"
# kind = "dynamic-shape"
# expect = "fix"
# findings = [16, 17, 18, 21, 22, 23, 24]
# tolerance = 1e-4
# ///

import jax
import jax.numpy as jnp


@jax.jit
def report(table, cube, floor):
    keep = table.sum(axis=0) > floor
    per_row = table[:, keep].sum(axis=1)
    spread = jnp.std(table[:, keep], axis=-1).sum()
    picked = cube[:, keep, :]
    centre = picked.mean(axis=(0, 1))
    total = jnp.sum(picked * 2.0 - 1.0)
    top = table[:, table[0] > floor].max()
    some = (table[:, keep] > 3.0).any(axis=1)
    logs = jnp.log(table[:, keep]).sum()
    first = cube[keep[:2]].sum(axis=0)
    return per_row, spread * 0.0, centre, total, top, some, logs, first


def main():
    table = jnp.array([[1.0, 7.0, 3.0], [2.0, 9.0, 0.5]])
    cube = jnp.arange(12.0).reshape(2, 3, 2)
    return [report(table, cube, f) for f in (0.5, 3.2, 5.0)]
