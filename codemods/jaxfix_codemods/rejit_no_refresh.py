from __future__ import annotations

from typing import ClassVar

from jaxfix.codemod import Capture, CaptureRule, Safety


class RejitNoRefresh(CaptureRule):
    """`jax.jit(f)` again, in the hope that it reads a captured value anew.

    Compiled programs are kept by the function object. Another `jax.jit(f)` of the same
    `f` finds the old program, with the value that was captured first. The value becomes
    an argument.

    ## Example

    ```python before
    samples = jnp.zeros(3)

    def spread(width):
        return jnp.sum((samples / width) ** 2)

    def fit_all(draws):
        global samples
        fits = []
        for draw in draws:
            samples = jnp.asarray(draw)
            score = jax.jit(spread)
            fits.append(score(2.0))
        return fits
    ```

    ```python after
    samples = jnp.zeros(3)

    def spread(width, samples):
        return jnp.sum((samples / width) ** 2)

    def fit_all(draws):
        global samples
        fits = []
        for draw in draws:
            samples = jnp.asarray(draw)
            score = jax.jit(spread)
            fits.append(score(2.0, samples))
        return fits
    ```

    ```python check
    fit_all([[0.0, 1.0], [2.0, 3.0]])
    ```

    ## Safety

    As `stale-global`.

    ## Not fixed

    - As `stale-global`.
    - No finding for a lambda, an inner function or a `partial` that is made anew: each
      is a new function, and is compiled anew.

    ## See

    - https://docs.jax.dev/en/latest/jit-compilation.html#jit-and-caching
    """

    safety: ClassVar = Safety.SAFE

    def concerns(self, capture: Capture) -> bool:
        return capture.rejitted

    def message(self, capture: Capture) -> str:
        return (
            f"`jax.jit` of the same function again does not read `{capture.text}` anew"
        )
