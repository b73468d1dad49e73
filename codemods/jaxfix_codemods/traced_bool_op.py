from __future__ import annotations

import ast
from typing import ClassVar

from jaxfix.codemod import (
    Expression,
    Function,
    Plan,
    Problem,
    Rewriter,
    Rule,
    bindings,
    booleans,
)


class TracedBoolOp(Rule):
    """`and`, `or`, `not`, a chained comparison or `in` on traced values.

    These ask for the truth of their operands. On arrays `&`, `|` and `~` do the same
    for bools, `jnp.logical_and` and its kin for anything; `a or b` as a value is a
    choice.

    ## Example

    ```python before
    @jax.jit
    def inside(x, lo, hi):
        return lo < x < hi and not x == 0
    ```

    ```python after
    @jax.jit
    def inside(x, lo, hi):
        return (lo < x) & (x < hi) & (x != 0)
    ```

    ```python check
    inside(1.0, 0.0, 2.0)
    inside(0.0, -1.0, 2.0)
    ```

    ## Safety

    Safe. Both sides are evaluated: reads out of range are clamped and divisions by zero
    give a value that the other side hides, so the result is the same. As a value,
    `x or y` takes `lax.cond` where `y` is dear, or its gradient may be NaN.

    ## Not fixed

    - The right side has effects (prints, appends, binds a name), or its value is used
      and its type cannot be made that of the left side.

    ## See

    - https://docs.jax.dev/en/latest/_autosummary/jax.numpy.logical_and.html
    """

    visits: ClassVar = (ast.BoolOp, ast.UnaryOp, ast.Compare)

    def find(
        self, fn: Function, node: ast.BoolOp | ast.UnaryOp | ast.Compare
    ) -> Problem | None:
        forced = booleans.forced_operand(fn, node)
        if forced is None or not (because := fn.traced(forced)):
            return None
        if bindings.is_asked_in_turn(fn, node) or booleans.is_first_of_or(fn, node):
            return None
        return Problem(
            f"`{ast.unparse(node)}` asks for the truth of a traced value", because
        )

    def plan(self, fn: Function, node: ast.expr) -> Plan:
        booleans.check_effects(fn, node)
        booleans.check_traced(fn, node)
        return Expression("array operations")

    def fix(
        self, fn: Function, node: ast.expr, plan: Plan, write: Rewriter
    ) -> ast.expr:
        return write.boolean(fn, node)
