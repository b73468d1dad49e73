from __future__ import annotations

import ast
from typing import ClassVar

from jaxfix.codemod import (
    CannotFix,
    Function,
    Plan,
    Problem,
    Rule,
    Safety,
    type_tests,
)


class TracedRaise(Rule):
    """`raise` under a traced condition.

    The condition is not known while tracing, and a compiled program has no exceptions.

    ## Example

    ```python before
    @jax.jit
    def invert(x):
        if x == 0:
            raise ZeroDivisionError("x is zero")
        return 1 / x
    ```

    ## Safety

    Reported only: what should happen instead is a decision (NaN, a status value, a
    check before the call, `checkify`).

    ## Not fixed

    - Always.

    ## See

    - https://docs.jax.dev/en/latest/debugging/checkify_guide.html
    """

    visits: ClassVar = (ast.If,)
    safety: ClassVar = Safety.REPORT

    def find(self, fn: Function, node: ast.If) -> Problem | None:
        blocks = node.body if is_orelse(fn, node) else [*node.body, *node.orelse]
        if not any(isinstance(s, ast.Raise) for s in blocks):
            return None
        text = ast.unparse(node.test)
        if because := fn.traced(node.test):
            return Problem(f"an exception depends on `{text}`, a traced value", because)
        raises = any(isinstance(s, ast.Raise) for s in node.body)
        if because := type_tests.refuted(fn, node.test, outcome=raises):
            return Problem(f"it always raises: `{text}` asks a tracer", because)
        return None

    def plan(self, fn: Function, node: ast.If) -> Plan:
        if not fn.traced(node.test):
            raise CannotFix(type_tests.ADVICE)
        raise CannotFix(
            "compiled code cannot raise; check before the call or use checkify"
        )


def is_orelse(fn: Function, node: ast.If) -> bool:
    """Is it an `elif`, whose `else` belongs to the first `if`?"""
    parent = fn.module.parent(node)
    return isinstance(parent, ast.If) and parent.orelse == [node]
