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
    arrays,
    constants,
)

MIB = 2**20
LARGE = 64 * MIB


class LargeConstant(Rule):
    """Large array from outside that compiled code holds as a constant.

    What a compiled function reads from a module or from the function around it becomes
    part of the program. A large array is then copied into each program that reads it,
    once more for every new shape of the arguments, and lengthens each compilation.

    ## Example

    ```python before
    table = jax.random.normal(jax.random.key(0), (8192, 8192))


    @jax.jit
    def project(x):
        return table @ x
    ```

    ```text report
    6:12 large-constant: `table` is baked into the program: 256 MiB
        because: `project` is under jax.jit (line 4)
        not fixed: pass it as an argument
    ```

    ## Safety

    Reported only: all calls have to change, and where the array is kept is a decision.
    As an argument, one buffer serves all programs:

    ```python
    @jax.jit
    def project(table, x):
        return table @ x


    y = project(table, x)
    ```

    ## Not fixed

    - Always. An array that is an argument of a jitted function inside another one must
      be an argument of the outer one too.
    - No finding for arrays of less than 64 MiB, or of unknown size, nor where the shape
      alone is used. 64-bit numbers count as 32 bits, which they are without x64.

    ## See

    - https://docs.jax.dev/en/latest/internals/constants.html
    """

    visits: ClassVar = (ast.Name, ast.Attribute, ast.Subscript)
    safety: ClassVar = Safety.REPORT

    def find(self, fn: Function, node: ast.expr) -> Problem | None:
        size = arrays.size_in_bytes(fn.value(node))
        if size is None or size < LARGE or not is_first(fn, node):
            return None
        text = f"`{ast.unparse(node)}` is baked into the program: {size // MIB:,} MiB"
        return Problem(text, fn.why_under())

    def plan(self, fn: Function, node: ast.expr) -> Plan:
        raise CannotFix("pass it as an argument")


def is_first(fn: Function, node: ast.expr) -> bool:
    """Is it the first read of something from outside that puts it into the program?"""
    reads = fn.captured().get(ast.unparse(node), [])
    if not any(read is node for read in reads):
        return False
    baked = (read for read in reads if constants.is_baked(fn, read, LARGE))
    return next(baked, None) is node
