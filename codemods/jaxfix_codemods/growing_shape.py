from __future__ import annotations

import ast
from typing import ClassVar

from jaxfix.codemod import (
    CannotFix,
    Evidence,
    Function,
    Plan,
    Problem,
    Rule,
    Safety,
    shapes_in_loops,
    static_uses,
)


class GrowingShape(Rule):
    """Compiled function that is called with another shape in each round of a loop.

    A program is compiled for the shapes of its arguments. A slice that grows, a list to
    which each round appends, or an array made with a size that counts up compiles as
    often as the loop runs.

    ## Example

    ```python before
    @jax.jit
    def energy(x):
        return jnp.sum(x * x)


    def prefixes(x):
        return [energy(x[:i]) for i in range(1, 100)]
    ```

    ```text report
    7:13 growing-shape: `energy` is called with shapes that vary: 99 shapes, so 99 compilations
        because: the slice `:i` has another length in each round (line 7)
        not fixed: pad to one size, or to a few, and mask the rest; see the page of the rule
    ```

    ## Safety

    Reported only: what to fill up with is known to the writer of the function alone.

    ## Not fixed

    Give the function arrays of one size and say how much of them counts:

    ```python
    @jax.jit
    def energy(x, n):
        return jnp.sum(jnp.where(jnp.arange(x.shape[0]) < n, x * x, 0.0))


    def prefixes(x):
        return [energy(x, i) for i in range(1, 100)]
    ```

    Where the sizes vary widely, fill up to the next of a few sizes (16, 32, 64, ...),
    so that there are few programs. Batches of a data set keep one size if the last,
    smaller one is filled up or left out.

    ## See

    - https://docs.jax.dev/en/latest/jit-compilation.html#jit-and-caching
    """  # noqa: E501

    visits: ClassVar = (ast.Call,)
    safety: ClassVar = Safety.REPORT

    def find(self, fn: Function, node: ast.Call) -> Problem | None:
        if fn.under and not fn.on_host:
            return None
        if not static_uses.roots_called(fn, node):
            return None
        found = shapes_in_loops.growth_of(fn, node)
        if found is None:
            return None
        shapes = "each round compiles again"
        if found.shapes is not None:
            shapes = f"{found.shapes} shapes, so {found.shapes} compilations"
        text = f"`{ast.unparse(node.func)}` is called with shapes that vary: {shapes}"
        return Problem(text, (Evidence(fn.path, node.lineno, found.because),))

    def plan(self, fn: Function, node: ast.Call) -> Plan:
        raise CannotFix(
            "pad to one size, or to a few, and mask the rest; see the page of the rule"
        )
