# /// case
# id = "inplace-05-at-mask"
# kind = "inplace-update"
# expect = "fix"
# findings = [15, 16, 17]
# oracle = "eager"
# ///

import jax
import jax.numpy as jnp


@jax.jit
def clean_up(x, floor):
    x = x.at[x < floor].set(0.0)
    x = x.at[jnp.isnan(x)].set(-1.0)
    x = x.at[(x > 5.0) & (x < 9.0)].set(0.5)
    total = x.at[0].get()
    head = x[:2].at[1].multiply(2.0)
    return x, total, head.sum(where=head > 0.0)


def main():
    x = jnp.array([1.0, jnp.nan, 6.0, -3.0, 12.0])
    return [clean_up(x, 0.0), clean_up(x, 2.0), x]
