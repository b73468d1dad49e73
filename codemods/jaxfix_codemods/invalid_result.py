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
    compiled_results,
)


class InvalidResult(Rule):
    """Compiled function that returns a string, an object or a function.

    What `jax.jit` or `jax.vmap` returns is made of arrays: numbers, arrays, None, and
    tuples, lists, dicts and registered classes of these. Anything else raises
    `TypeError: ... is not a valid JAX type`.

    ## Example

    ```python before
    @jax.jit
    def solve(x):
        return x / 2.0, "converged"


    solve(4.0)
    ```

    ## Safety

    Reported only: where the value goes instead is a decision. Return a number for the
    word, and look it up outside; register the class of an object, so that its fields
    are what is returned.

    ```python
    @jax.tree_util.register_dataclass
    @dataclasses.dataclass
    class State:
        x: jax.Array
    ```

    ## Not fixed

    - Always.
    - No finding for classes with a base class or a decorator of another library, which
      may register them.

    ## See

    - https://docs.jax.dev/en/latest/custom_pytrees.html
    """

    safety: ClassVar = Safety.REPORT
    visits: ClassVar = (ast.Return,)

    def find(self, fn: Function, node: ast.Return) -> Problem | None:
        if node.value is None or compiled_results.compiled(fn) is None:
            return None
        if compiled_results.is_chosen(fn, node):
            return None
        word = compiled_results.refused(fn.facts, fn.value(node.value))
        if word is None:
            return None
        return Problem(f"compiled code returns {word}", fn.why_under())

    def plan(self, fn: Function, node: ast.Return) -> Plan:
        word = compiled_results.refused(fn.facts, fn.value(node.value or node))
        if word is not None and word.endswith("`"):
            name = word.partition(" ")[2]
            raise CannotFix(f"register {name} as a pytree, or return its parts")
        raise CannotFix("return it outside of the compiled function")
