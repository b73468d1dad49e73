from __future__ import annotations

import ast
from typing import ClassVar

from jaxfix.codemod import (
    CannotFix,
    Function,
    Plan,
    Problem,
    Region,
    Rule,
    hand_counted,
    rolled,
)


class UnrolledLoop(Rule):
    """Long Python loop that tracing unrolls.

    A Python loop in traced code leaves a copy of its body for every iteration in the
    compiled program: a thousand iterations make thousands of operations and seconds of
    compile time. `lax.scan` and `lax.fori_loop` compile the body once.

    ## Example

    ```python before
    @jax.jit
    def leak(level):
        for _ in range(200):
            level = 0.9 * level + 1.0
        return level
    ```

    ```python after
    @jax.jit
    def leak(level):
        return lax.fori_loop(0, 200, lambda _, level: 0.9 * level + 1.0, level)
    ```

    ```python check
    leak(jnp.float32(2.0))
    jax.grad(leak)(2.0)
    ```

    ## Safety

    Safe. The order of operations is kept; results may differ by rounding where XLA had
    merged operations of several iterations. Loops of static length have gradients.

    ## Not fixed

    - Loops whose variable is needed as a Python number: an index into a list, a shape,
      an axis, a name.
    - `while` loops that count by hand: write them as `for k in range(...)`.
    - Short loops (under 64 iterations; under 16 where the body is long): unrolled code
      is as fast or faster.

    ## See

    - https://docs.jax.dev/en/latest/_autosummary/jax.lax.fori_loop.html
    """

    visits: ClassVar = (ast.For, ast.While)

    def find(self, fn: Function, node: ast.For | ast.While) -> Problem | None:
        if not fn.under or fn.traced_count(node) or node.orelse:
            return None
        if isinstance(node, ast.For):
            count = rolled.trips(fn, node)
        else:
            by_hand = hand_counted.hand_counted(fn, node)
            count = by_hand.rounds if by_hand is not None else None
        if count is None or count < rolled.threshold(node):
            return None
        leaves: tuple[type[ast.AST], ...] = (ast.Break, ast.Return, ast.Yield)
        if isinstance(node, ast.While):
            leaves = (*leaves, ast.Continue)
        if any(isinstance(n, leaves) for n in ast.walk(node)):
            return None
        if not rolled.works_on_tracers(fn, node) or rolled.appends(node):
            return None
        return Problem(f"a loop of {count} iterations is unrolled while tracing")

    def plan(self, fn: Function, node: ast.For | ast.While) -> Plan:
        if isinstance(node, ast.While):
            by_hand = hand_counted.hand_counted(fn, node)
            assert by_hand is not None, "it was found to be such a loop"
            name = by_hand.name
            raise CannotFix(f"it counts `{name}` by hand; write it with `range`")
        return Region("lax.scan or lax.fori_loop", needed=False)
