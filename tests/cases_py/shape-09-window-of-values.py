# /// case
# id = "shape-09-window-of-values"
# kind = "traced-while"
# expect = "fix"
# findings = [15, 17, 24]
# ///

import jax
import jax.numpy as jnp


@jax.jit
def settle(window, load):
    """What goes out at one end comes in at the other: the length stays."""
    while load > 1.0:
        window = jnp.append(window[1:], load)
        if jnp.sort(window)[0] > 2.0:
            window = jnp.concatenate([window[-1:], window[:-1]])
        load = load - 0.5 * jnp.sort(window)[-1]
    return window, load


def last_three(kept, value):
    if value > kept[0]:
        kept = jnp.append(kept[1:], value)
    return kept


def main():
    window = jnp.array([1.0, 2.0, 0.5])
    settled = [settle(window, jnp.float32(v)) for v in (0.5, 4.0, 9.0)]
    newest = jax.jit(last_three)
    return [*settled, newest(window, 3.0), newest(window, 0.0)]
