from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import ClassVar

from jaxfix.codemod import CannotFix, Facts, Function, Plan, Problem, Rule, Safety


class LeakedTracer(Rule):
    """A traced value that is stored where it outlives the trace.

    What ends up in the global, the list or the attribute is a tracer and not a number.
    Whoever uses it later gets `UnexpectedTracerError`, and calls of the compiled
    program store nothing.

    ## Example

    ```python before
    history = []

    @jax.jit
    def observe(x):
        history.append(x)
        return x + 1
    ```

    ## Safety

    Reported only: what the function returns, and who keeps it, is a decision. Return
    the value and store it in the caller; in a loop, let `lax.scan` stack it.

    ```python
    @jax.jit
    def observe(x):
        return x + 1, x

    y, seen = observe(x)
    history.append(seen)
    ```

    ## Not fixed

    - Always.
    - No finding for containers and objects that are made in the same trace.

    ## See

    - https://docs.jax.dev/en/latest/errors.html#jax.errors.UnexpectedTracerError
    """

    safety: ClassVar = Safety.REPORT

    def places(self, facts: Facts) -> Iterable[int]:
        return facts.interpreter.state_writes

    def find(self, fn: Function, node: ast.AST) -> Problem | None:
        write = fn.facts.interpreter.state_writes.get(id(node))
        if write is None or not write.is_traced:
            return None
        because = tuple(reversed(write.tracer.chain())) if write.tracer else ()
        return Problem(f"a traced value is stored in {write.origin}", because)

    def plan(self, fn: Function, node: ast.AST) -> Plan:
        write = fn.facts.interpreter.state_writes[id(node)]
        place = write.origin.text
        raise CannotFix(
            f"return the value, and store it in `{place}` outside of the trace"
        )
