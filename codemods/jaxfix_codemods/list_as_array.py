from __future__ import annotations

import ast
from functools import partial
from typing import ClassVar

from jaxfix.codemod import (
    Function,
    Plan,
    Problem,
    Rewriter,
    Rule,
    Sites,
    build,
    list_operands,
)


class ListAsArray(Rule):
    """A list or tuple in an operation with a traced array.

    NumPy makes an array of it; JAX raises `TypeError`, because a list that is made an
    array costs an operation for each element. A comparison with a list is not even an
    error: it is `False`.

    ## Example

    ```python before
    @jax.jit
    def corners(x, gain):
        raised = gain * x + [0.5, 1.0, 2.0]
        return raised[[0, -1]]
    ```

    ```python after
    @jax.jit
    def corners(x, gain):
        raised = gain * x + jnp.array([0.5, 1.0, 2.0])
        return raised[jnp.array([0, -1])]
    ```

    ```python check
    corners(np.arange(3.0), 2.0)
    ```

    ## Safety

    Safe: where it meets an array, NumPy makes the same array of it.

    ## Not fixed

    - No finding for lists whose elements are not known to be numbers, for lists of
      bools, nor for a list times an integer, which repeats it.

    ## See

    - https://docs.jax.dev/en/latest/notebooks/Common_Gotchas_in_JAX.html#non-array-inputs-numpy-vs-jax
    """

    visits: ClassVar = (ast.Subscript, ast.BinOp, ast.AugAssign, ast.Compare)

    def find(self, fn: Function, node: ast.AST) -> Problem | None:
        found = list_operands.list_operands(fn, node)
        if not found:
            return None
        text = ast.unparse(found[0])
        return Problem(
            f"`{text}` is no array, but meets a traced one",
            list_operands.reasons(fn, node),
        )

    def plan(self, fn: Function, node: ast.AST) -> Plan:
        place = f"{fn.path}:{getattr(node, 'lineno', 0)}"
        column = getattr(node, "col_offset", 0)
        return Sites("an array", key=f"list {place}:{column}")

    def fix(self, fn: Function, node: ast.AST, plan: Plan, write: Rewriter) -> None:
        writer = write.writer(fn.module)
        spell = write.spell(fn)
        for found in list_operands.list_operands(fn, node):
            made = build.call(spell("jax.numpy.array"), found)
            writer.edit(found, partial(writer.expr, made))
        write.touch(fn)
