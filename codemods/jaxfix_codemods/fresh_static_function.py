from __future__ import annotations

import ast
from typing import ClassVar

from jaxfix.codemod import (
    Evidence,
    Function,
    Plan,
    Problem,
    Rewriter,
    Rule,
    Sites,
    check_named,
    fresh_arguments,
    name_functions,
)


class FreshStaticFunction(Rule):
    """Function made anew at each call for a static argument: each call compiles.

    Programs are kept by the values of static arguments. A lambda, a `functools.partial`
    and the result of `jax.grad` are equal to nothing but themselves, so in a loop each
    round compiles again. The function gets a name in the module.

    ## Example

    ```python before
    @functools.partial(jax.jit, static_argnames=("field",))
    def advance(field, x):
        return x + 0.1 * field(x)


    def run(starts):
        return [advance(lambda y: -2.0 * y, x) for x in starts]
    ```

    ```python after
    @functools.partial(jax.jit, static_argnames=("field",))
    def advance(field, x):
        return x + 0.1 * field(x)


    def field_1(y):
        return -2.0 * y


    def run(starts):
        return [advance(field_1, x) for x in starts]
    ```

    ```python check
    run([1.0, 2.0])
    ```

    ## Safety

    Safe. What moves depends on nothing but functions and imports of the module.

    ## Not fixed

    - A function that captures a local variable: what it captures should be an argument
      of the compiled function.
    - A partial with arguments that the module computes, or a lambda with defaults.
    - No finding for bound methods, which are equal if their objects are, nor for a loop
      over a few listed values.

    ## See

    - https://docs.jax.dev/en/latest/jit-compilation.html#marking-arguments-as-static
    """

    visits: ClassVar = (ast.Call,)

    def find(self, fn: Function, node: ast.Call) -> Problem | None:
        for one in fresh_arguments.fresh_arguments(fn, node):
            text = (
                f"`{ast.unparse(one.given)}`, passed for the static `{one.name}`, is"
                " new at each call"
            )
            because = "programs are kept by the identity of the function"
            return Problem(text, (Evidence(fn.path, one.given.lineno, because),))
        return None

    def plan(self, fn: Function, node: ast.Call) -> Plan:
        check_named(fn, fresh_arguments.fresh_arguments(fn, node))
        key = f"named {fn.path}:{node.lineno}:{node.col_offset}"
        return Sites("a function of the module", key=key)

    def fix(self, fn: Function, node: ast.Call, plan: Plan, write: Rewriter) -> None:
        name_functions(write, fn, fresh_arguments.fresh_arguments(fn, node))
