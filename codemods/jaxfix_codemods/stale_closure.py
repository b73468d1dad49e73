from __future__ import annotations

import ast
from typing import Any, ClassVar

from jaxfix.codemod import (
    Capture,
    CaptureRule,
    Function,
    Hoisted,
    Plan,
    Problem,
    Safety,
    hoisting,
)


class StaleClosure(CaptureRule):
    """Variable of an enclosing function that is assigned again after the first call.

    A compiled inner function reads the variables of the function around it while it is
    traced. Python would look them up at each call; the compiled program keeps the first
    value. The value becomes an argument.

    In a loop on traced values, too, what a function made before it reads through its
    closure must come as an argument: the loop's variables have no cell that it could
    look into.

    ## Example

    ```python before
    def compare(x):
        factor = 2.0

        @jax.jit
        def scale(v):
            return v * factor

        first = scale(x)
        factor = 100.0
        return first, scale(x)
    ```

    ```python after
    def compare(x):
        factor = 2.0

        @jax.jit
        def scale(v, factor):
            return v * factor

        first = scale(x, factor)
        factor = 100.0
        return first, scale(x, factor)
    ```

    ```python check
    compare(3.0)
    ```

    ## Safety

    Safe. Where the inner function is returned or passed on, a function of the old
    signature stays in its place and hands the value over at each call.

    ## Not fixed

    - A value that Python itself must know: a string, a size, the test of an `if`.
    - No finding where the function is defined anew after each change: that is a new
      function for `jax.jit`, which compiles it (slowly, but rightly).

    ## See

    - https://docs.jax.dev/en/latest/notebooks/Common_Gotchas_in_JAX.html#pure-functions
    """

    visits: ClassVar = (ast.FunctionDef, ast.Lambda)
    safety: ClassVar = Safety.SAFE

    def find(self, fn: Function, node: Any) -> Problem | None:
        if not isinstance(node, ast.FunctionDef | ast.Lambda):
            return super().find(fn, node)
        if fn.node is node or not fn.under:
            return None
        names = ", ".join(f"`{name}`" for name in hoisting.late_names(fn, node))
        if not names:
            return None
        return Problem(
            f"a loop or branch on traced values changes {names} behind its closure"
        )

    def plan(self, fn: Function, node: Any) -> Plan:
        if not isinstance(node, ast.FunctionDef | ast.Lambda):
            return super().plan(fn, node)
        hoist = fn.facts.captures.hoisting.late(fn, node)
        return Hoisted(hoist.title, Safety.SAFE, hoist.key, hoist=hoist)

    def concerns(self, capture: Capture) -> bool:
        is_variable = capture.place.kind == "local" and capture.change.rebinds
        return is_variable and not capture.rejitted

    def message(self, capture: Capture) -> str:
        return (
            f"compiled code keeps the first value of `{capture.text}`, which the"
            " function around it assigns again"
        )
