from __future__ import annotations

import ast
from typing import ClassVar

from jaxfix.codemod import (
    CannotFix,
    Evidence,
    Function,
    Plan,
    Problem,
    Rule,
    Safety,
    shapes_in_loops,
    static_uses,
)


class WeakTypeRetrace(Rule):
    """Argument that is a Python number in some rounds of a loop and an array in others.

    A Python number is weakly typed: it takes the dtype of what it is combined with. An
    array has a dtype of its own. A function that gets both is compiled twice, and its
    result may have two dtypes.

    ## Example

    ```python before
    @jax.jit
    def scaled(x, rate):
        return x * rate


    def run(x, rates, steps):
        for i in range(steps):
            rate = jnp.float32(0.5) if i % 2 else 1.0
            x = scaled(x, rate)
        return x
    ```

    ```text report
    9:13 weak-type-retrace: `rate` is now a Python number, now an array
        because: a number is weakly typed and an array is not: two programs (line 9)
        not fixed: which dtype is meant is not known
    ```

    ## Safety

    Reported only.

    ## Not fixed

    Pass one of them throughout: `jnp.float32(1.0)` where the dtype matters, Python
    numbers where it does not.

    ## See

    - https://docs.jax.dev/en/latest/type_promotion.html#weakly-typed-values-in-jax
    """

    visits: ClassVar = (ast.Call,)
    safety: ClassVar = Safety.REPORT

    def find(self, fn: Function, node: ast.Call) -> Problem | None:
        if fn.under and not fn.on_host:
            return None
        if not static_uses.roots_called(fn, node):
            return None
        given = shapes_in_loops.alternation_of(fn, node)
        if given is None:
            return None
        text = f"`{ast.unparse(given)}` is now a Python number, now an array"
        because = "a number is weakly typed and an array is not: two programs"
        return Problem(text, (Evidence(fn.path, given.lineno, because),))

    def plan(self, fn: Function, node: ast.Call) -> Plan:
        raise CannotFix("which dtype is meant is not known")
