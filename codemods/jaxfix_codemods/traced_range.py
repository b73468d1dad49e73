from __future__ import annotations

import ast
from typing import ClassVar

from jaxfix.codemod import Function, Plan, Problem, Region, Rule


class TracedRange(Rule):
    """`for` loop whose number of iterations is traced.

    `range(n)` wants a Python integer; a tracer has none. `lax.fori_loop` takes traced
    bounds and carries what the loop rebinds.

    ## Example

    ```python before
    @jax.jit
    def add_up(x, n):
        for i in range(n):
            x = x + i
        return x
    ```

    ```python after
    @jax.jit
    def add_up(x, n):
        return lax.fori_loop(0, n, lambda i, x: x + i, x)
    ```

    ```python check
    add_up(jnp.float32(1.0), 3)
    add_up(jnp.float32(1.0), 0)
    ```

    ## Safety

    Safe. The loop's variable has no value after a loop that does not run, in Python
    too; where it is read afterwards without a value from before, nothing is changed.
    With `prefer = {traced-range = "static"}` in `[tool.jaxfix]` the number of steps
    becomes a static argument instead, where it is one.

    ## Not fixed

    - Under reverse-mode differentiation: a loop with a traced bound has no such
      gradient. Make the bound static (`static_argnames`).
    - Lists that grow, arrays that grow, and names that only the loop binds.

    ## See

    - https://docs.jax.dev/en/latest/_autosummary/jax.lax.fori_loop.html
    """

    visits: ClassVar = (ast.For,)

    def find(self, fn: Function, node: ast.For) -> Problem | None:
        if because := fn.traced_count(node):
            return Problem(
                f"`for` over `{ast.unparse(node.iter)}`, a traced count", because
            )
        return None

    def plan(self, fn: Function, node: ast.For) -> Plan:
        return Region("lax.fori_loop")
