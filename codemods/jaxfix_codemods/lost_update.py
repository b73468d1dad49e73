from __future__ import annotations

import ast
from typing import ClassVar

from jaxfix.codemod import (
    CannotFix,
    Function,
    Plan,
    Problem,
    Rewriter,
    Rule,
    Statement,
    build,
    stores,
)


class LostUpdate(Rule):
    """`x.at[i].set(v)` whose result is thrown away.

    `.at[...]` does not change `x`: it gives a new array. As a statement of its own it
    does nothing at all, and nothing says so.

    ## Example

    ```python before
    @jax.jit
    def clear_first(x):
        x.at[0].set(0.0)
        return x * 2.0
    ```

    ```python after
    @jax.jit
    def clear_first(x):
        x = x.at[0].set(0.0)
        return x * 2.0
    ```

    ```python check
    clear_first(jnp.array([0.0, 2.0]))
    ```

    ## Safety

    Safe in that the update is what the statement can only have been written for; the
    program computes something else afterwards.

    ## Not fixed

    - The array is not read afterwards in the function: return the new array.
    - It belongs to an object or to an enclosing function.

    ## See

    - https://docs.jax.dev/en/latest/_autosummary/jax.numpy.ndarray.at.html
    """

    visits: ClassVar = (ast.Expr,)

    def find(self, fn: Function, node: ast.Expr) -> Problem | None:
        found = stores.lost_update(fn, node)
        if found is None:
            return None
        base, because = found
        text = f"{ast.unparse(base)}.at[...]"
        return Problem(f"the array that `{text}` gives is thrown away", because)

    def plan(self, fn: Function, node: ast.Expr) -> Plan:
        found = stores.lost_update(fn, node)
        assert found is not None, "it was found to be such a statement"
        if isinstance(fn.node, ast.Module):
            raise CannotFix("the statement is not in a function")
        stores.check_rebinding(fn, node, found[0])
        return Statement("the array is bound anew")

    def fix(
        self, fn: Function, node: ast.Expr, plan: Plan, write: Rewriter
    ) -> list[ast.stmt]:
        found = stores.lost_update(fn, node)
        assert found is not None, "the plan was made for such a statement"
        base = found[0]
        if isinstance(base, ast.Name):
            return [build.assign(base.id, node.value)]
        return [ast.Assign([base], node.value)]
