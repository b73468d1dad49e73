from __future__ import annotations

import ast
from typing import ClassVar

from jaxfix.codemod import Function, Plan, Problem, Region, Rule, booleans


class TracedWhile(Rule):
    """`while` loop on a traced condition.

    Python's `while` asks for a concrete bool at every turn. `lax.while_loop` keeps the
    condition in the compiled program; what the loop rebinds is carried from one
    iteration to the next.

    ## Example

    ```python before
    @jax.jit
    def halve(x):
        steps = 0
        while x > 1.0:
            x = x / 2
            steps += 1
        return x, steps
    ```

    ```python after
    @jax.jit
    def halve(x):
        steps = 0

        def keep_going(carry):
            x, _ = carry
            return x > 1.0

        def body(carry):
            x, steps = carry
            x = x / 2
            steps += 1
            return x, steps

        return lax.while_loop(keep_going, body, (x, steps))
    ```

    ```python check
    halve(jnp.float32(9.0))
    halve(jnp.float32(0.5))
    ```

    ## Safety

    Safe. A carry gets one dtype for all iterations, the one that Python would have
    reached after the first: a loop that does not run gives the promoted dtype.

    ## Not fixed

    - Under reverse-mode differentiation: `lax.while_loop` has no such gradient.
    - A name that only the loop binds and that is read afterwards.
    - Bodies that append to lists, raise, or change objects from outside.

    ## See

    - https://docs.jax.dev/en/latest/_autosummary/jax.lax.while_loop.html
    """

    visits: ClassVar = (ast.While,)

    def find(self, fn: Function, node: ast.While) -> Problem | None:
        if because := fn.traced(node.test):
            return Problem(
                f"`while {ast.unparse(node.test)}` on a traced value", because
            )
        return None

    def plan(self, fn: Function, node: ast.While) -> Plan:
        booleans.check_traced(fn, node.test)
        return Region("lax.while_loop")
