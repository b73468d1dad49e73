from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import ClassVar

from jaxfix.codemod import CannotFix, Facts, Function, Plan, Problem, Rule, Safety


class TraceTimeState(Rule):
    """Traced code that changes a variable or an object from outside of the function.

    Python runs the function while JAX traces it, once for every new shape. The calls
    that follow run the compiled program, which knows nothing of the counter, the list
    or the attribute: it is changed once and then stays as it is.

    ## Example

    ```python before
    calls = 0

    @jax.jit
    def observe(x):
        global calls
        calls += 1
        return x + 1
    ```

    ## Safety

    Reported only: where the state should live is a decision. The usual form passes it
    in and returns it.

    ```python
    @jax.jit
    def observe(x, calls):
        return x + 1, calls + 1

    y, calls = observe(x, calls)
    ```

    ## Not fixed

    - Always.
    - No finding for lists, dicts and objects that are made in the same trace, for
      functions that return the argument that they changed, for modules of flax,
      equinox and haiku, nor for a cache that stores a static value under a key.

    ## See

    - https://docs.jax.dev/en/latest/stateful-computations.html
    """

    safety: ClassVar = Safety.REPORT

    def places(self, facts: Facts) -> Iterable[int]:
        return facts.interpreter.state_writes

    def find(self, fn: Function, node: ast.AST) -> Problem | None:
        write = fn.facts.interpreter.state_writes.get(id(node))
        if write is None or write.is_traced or not write.staged:
            return None
        if not (write.repeats or is_accumulated(fn, node)) or is_lazy(fn, node):
            return None
        return Problem(
            f"{write.origin}, is changed while tracing only",
            fn.why_under(),
        )

    def plan(self, fn: Function, node: ast.AST) -> Plan:
        write = fn.facts.interpreter.state_writes[id(node)]
        raise CannotFix(
            f"`{write.origin.text}` must come in as an argument and go out as a result"
        )


def is_accumulated(fn: Function, node: ast.AST) -> bool:
    """`d[k] += 1`, `d[k] = d[k] + 1`: the new value depends on the old one."""
    match fn.module.parent(node):
        case ast.AugAssign(target=target):
            return target is node
        case ast.Assign(value=value):
            return reads(value, node)
        case _:
            return False


def is_lazy(fn: Function, node: ast.AST) -> bool:
    """`if x is None: x = ...`: done once, whoever does it."""
    return isinstance(fn.module.parent(node), ast.Assign) and any(
        isinstance(outer, ast.If) and reads(outer.test, node)
        for outer in fn.module.ancestors(node)
    )


def reads(code: ast.AST, node: ast.AST) -> bool:
    """Does `code` read what `node` stands for?"""
    text = ast.unparse(node)
    return any(type(n) is type(node) and ast.unparse(n) == text for n in ast.walk(code))
