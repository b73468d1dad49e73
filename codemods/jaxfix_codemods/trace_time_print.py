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
    printing,
)

DEBUG = "jax.debug.print"


class TraceTimePrint(Rule):
    """`print` of a traced value, which shows a tracer, once per compilation.

    Python runs a compiled function only while JAX traces it. `jax.debug.print` becomes
    part of the compiled program, so it prints the values of every call.

    ## Example

    ```python before
    @jax.jit
    def square(x):
        print(f"squaring {x:.2f}")
        return x * x
    ```

    ```python after
    @jax.jit
    def square(x):
        jax.debug.print("squaring {x:.2f}", x=x)
        return x * x
    ```

    ```python check
    square(3.0)
    square(4.0)
    ```

    ## Safety

    Safe: the text is that of `print`, `{!s}` being the way in which `print` shows a
    number. If one call can print more than once, `ordered=True` keeps the order, which
    a plain `jax.debug.print` does not (it shows first what is ready first); ordered
    prints want a single device. `end=`, `file=` and `flush=` go through
    `jax.debug.callback`. Output appears when the program runs, perhaps after later
    lines of the caller: `jax.effects_barrier()` waits for it.

    ## Not fixed

    - A `print` of static values only, outside of branches and loops that depend on
      traced values: it tells of the compilation, which may be wanted. No finding.
    - Objects that are no pytrees; containers that mix arrays and Python numbers.

    ## See

    - https://docs.jax.dev/en/latest/debugging/print_breakpoint.html
    """

    visits: ClassVar = (ast.Call,)

    def find(self, fn: Function, node: ast.Call) -> Problem | None:
        if fn.value(node) is None:
            return None
        if fn.library(node) == DEBUG and (because := printing.why_formatted(fn, node)):
            text = "the format of `jax.debug.print` is made of a tracer"
            return Problem(text, because)
        if fn.library(node) != "print":
            return None
        if because := printing.printed(fn, node):
            return Problem("`print` of a traced value shows a tracer", because)
        test = printing.decided_by(fn, node)
        if test is None or test.why is None:
            return None
        because = tuple(reversed(test.why.chain()))
        return Problem("`print` that depends on a traced value", because)

    def plan(self, fn: Function, node: ast.Call) -> Plan:
        if fn.library(node) == DEBUG:
            printing.with_fields(fn, node, str)
            return Expression("the values beside the format")
        printing.replacement(fn, node, str)
        return Expression("jax.debug.print")

    def fix(
        self, fn: Function, node: ast.Call, plan: Plan, write: Rewriter
    ) -> ast.expr:
        if fn.library(node) == DEBUG:
            return printing.with_fields(fn, node, write.spell(fn))
        return printing.replacement(fn, node, write.spell(fn))
