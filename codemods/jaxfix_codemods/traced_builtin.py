from __future__ import annotations

import ast
from typing import ClassVar, get_args

from jaxfix.codemod import (
    CannotFix,
    Expression,
    Function,
    Plan,
    Problem,
    Rewriter,
    Rule,
    Statement,
    comparing,
    folds,
    list_sorts,
)

Place = ast.Call | ast.Expr | comparing.Display


class TracedBuiltin(Rule):
    """`max`, `min`, `sorted`, `any`, `all` or `filter` on traced values.

    They ask for the truth of comparisons, which tracers have not; arrays have
    reductions that do the same at once. So do `bisect`, `heapq` and the methods of
    lists that look for a value, and sets and dicts, which want hashes. `sum`, `abs`,
    `round`, `divmod` and `len` work as they are.

    ## Example

    ```python before
    @jax.jit
    def health(readings, limit):
        top = max(readings[0], limit, 0.5)
        readings = readings - 1.0
        hot = any(r > limit for r in readings)
        return top, hot, sorted(readings)[1]
    ```

    ```python after
    @jax.jit
    def health(readings, limit):
        top = jnp.maximum(jnp.maximum(readings[0], limit), 0.5)
        readings = readings - 1.0
        hot = jnp.any(readings > limit)
        return top, hot, jnp.sort(readings)[1]
    ```

    ```python check
    health(jnp.array([1.0, 50.0, 99.0]), 60.0)
    health(jnp.array([3.0, -2.0, 1.0]), 60.0)
    ```

    ## Safety

    Safe, for numbers. With NaN among them Python's answer depends on the order of the
    arguments, JAX's is NaN; where two arguments of `max` are equal, the gradient is
    shared by both and not all of the first one's.

    ## Not fixed

    - `filter` by a traced test: how many elements pass depends on the data.
    - `xs.index(v)` and `xs.remove(v)`, which raise where there is no such value, and
      heaps.
    - Arrays or tuples that are compared as a whole; `default=` where the length is not
      known.

    ## See

    - https://docs.jax.dev/en/latest/errors.html#jax.errors.TracerBoolConversionError
    """

    visits: ClassVar = (ast.Call, ast.Expr, *get_args(comparing.Display))

    def find(self, fn: Function, node: Place) -> Problem | None:
        if isinstance(node, comparing.Display):
            because = comparing.hashed(fn, node)
            text = ast.unparse(node)
            return (
                Problem(f"`{text}` hashes traced values", because) if because else None
            )
        found: folds.Fold | comparing.Comparison | None
        if isinstance(node, ast.Expr):
            found = list_sorts.sorting(fn, node)
        elif list_sorts.sorting(fn, fn.module.parent(node)) is not None:
            return None
        else:
            found = folds.fold(fn, node) or comparing.comparison(fn, node)
        if found is None:
            return None
        return Problem(f"`{found.name}(...)` compares traced values", found.because)

    def plan(self, fn: Function, node: Place) -> Plan:
        if isinstance(node, comparing.Display):
            is_set = isinstance(node, ast.Set | ast.SetComp)
            raise CannotFix(comparing.NO_HASH if is_set else "a tracer is no key")
        if isinstance(node, ast.Expr):
            one = list_sorts.sorting(fn, node)
            assert one is not None, "it was found to be such a statement"
            list_sorts.sorted_again(fn, one, lambda name: name)
            return Statement("an array sorts what the list holds")
        found = folds.fold(fn, node)
        if found is not None:
            folds.as_arrays(fn, found, lambda name: name)
        else:
            compared = comparing.comparison(fn, node)
            assert compared is not None, "it was found to be such a call"
            comparing.as_arrays(fn, compared, lambda name: name)
        return Expression("an operation on arrays")

    def fix(
        self, fn: Function, node: ast.Call | ast.Expr, plan: Plan, write: Rewriter
    ) -> ast.expr | list[ast.stmt]:
        if isinstance(node, ast.Expr):
            one = list_sorts.sorting(fn, node)
            assert one is not None, "the plan was made for such a statement"
            return [list_sorts.sorted_again(fn, one, write.spell(fn))]
        found = folds.fold(fn, node)
        if found is None:
            compared = comparing.comparison(fn, node)
            assert compared is not None, "the plan was made for such a call"
            return comparing.as_arrays(fn, compared, write.spell(fn))
        made = folds.as_arrays(fn, found, write.spell(fn))
        whole = folds.at_once(fn, found)
        if whole is not None:
            writer = write.writer(fn.module)
            source = whole.generators[0].iter
            for name in folds.names_of_target(whole, whole.elt):
                writer.edit(name, lambda: writer.expr(source))
        return made
