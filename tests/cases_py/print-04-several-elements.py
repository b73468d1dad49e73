# /// case
# id = "print-04-several-elements"
# kind = "side-effect-print"
# expect = "fix"
# findings = [20, 21, 22, 23, 24]
# oracle = "want"
# want = "[[2.0, 5.0], [['a', '1.0', '2.5', 'b', '6.5'], ['1.0', '2.5', '3.50%'], ['1.0', '2.5', '(2,)', '1.00'], ['1.0', '2.5'], ['1.0', 's', '2.5|']]]"
# ///
"""Several elements in one `print` whose format no `jax.debug.print` can say."""

import contextlib
import io

import jax
import jax.numpy as jnp


@jax.jit
def show(x, state):
    print("a", x[0], x[1], "b", state["m"] + x.sum(), flush=True)
    print("%s %s %5.2f%%" % (x[0], x[1], x.sum()))
    print(f"{x[0]} {x[1]} {x.shape} {x[0]:>{8}.2f}")
    print(*x)
    print("{a} {b:>8}".format(a=x[0], b="s"), x[1], sep="\t", end="|\n")
    return x * 2


def main():
    log = io.StringIO()
    with contextlib.redirect_stdout(log):
        y = show(jnp.array([1.0, 2.5]), {"m": jnp.float32(3.0)})
        jax.effects_barrier()
    return [y, [[w for w in line.split()] for line in log.getvalue().splitlines()]]
