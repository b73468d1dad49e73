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


class TracedAssert(Rule):
    """`assert` on a traced value.

    An assertion asks for a concrete bool, which a tracer has not. Compiled code cannot
    raise; `checkify.debug_check(test, message)` is silent under plain `jax.jit` and
    raises where the function is wrapped by `checkify.checkify`.

    ## Example

    ```python before
    @jax.jit
    def log_mean(x):
        assert x.ndim == 1
        assert jnp.all(x > 0), "positive values wanted"
        return jnp.mean(jnp.log(x))
    ```

    ## Safety

    Reported only: dropping an assertion or changing when it fires is a decision.

    ## Not fixed

    - Always. Write `checkify.debug_check(jnp.all(x > 0), "positive values wanted")`, or
      check the value before the call. Assertions on shapes and dtypes stay as they are.

    ## See

    - https://docs.jax.dev/en/latest/debugging/checkify_guide.html
    """

    visits: ClassVar = (ast.Assert,)
    safety: ClassVar = Safety.REPORT

    def find(self, fn: Function, node: ast.Assert) -> Problem | None:
        text = ast.unparse(node.test)
        if because := fn.traced(node.test):
            return Problem(f"`assert {text}` on a traced value", because)
        if because := type_tests.refuted(fn, node.test, outcome=False):
            return Problem(f"`assert {text}` asks a tracer, and always fails", because)
        return None

    def plan(self, fn: Function, node: ast.Assert) -> Plan:
        if not fn.traced(node.test):
            raise CannotFix(type_tests.ADVICE)
        text = ast.unparse(node.test)
        raise CannotFix(
            "compiled code cannot raise; "
            f"`checkify.debug_check({text}, ...)` checks where the caller asks for it"
        )
