from __future__ import annotations

import ast
from typing import ClassVar

from jaxfix.codemod import (
    CannotFix,
    Expression,
    Function,
    Plan,
    Problem,
    Rewriter,
    Rule,
    Safety,
    Sites,
    arrays,
    build,
    masks,
    mend_selection,
    polynomials,
    updates,
    windows,
)


class TracedSlice(Rule):
    """Slice or range with traced bounds.

    The bounds of a slice decide the shape of the result, so they must be known when JAX
    compiles. A window whose width is static can start anywhere:
    `lax.dynamic_slice_in_dim`. What is reduced at once can be masked instead.

    ## Example

    ```python before
    @jax.jit
    def local_mean(x, i):
        i = jnp.clip(i, 0, x.shape[0] - 3)
        places = jnp.arange(i, i + 3)
        return jnp.mean(x[i : i + 3]), places
    ```

    ```python after
    @jax.jit
    def local_mean(x, i):
        i = jnp.clip(i, 0, x.shape[0] - 3)
        places = i + jnp.arange(3)
        return jnp.mean(lax.dynamic_slice_in_dim(x, i, 3)), places
    ```

    ```python check
    local_mean(jnp.arange(5.0), 1)
    local_mean(jnp.arange(5.0), 9)
    ```

    ## Safety

    Safe where the start is clipped so that the window lies inside of the array, and for
    reductions of `x[:n]` with an `n` that cannot be negative, or that is seen to be (it
    then counts from the end, as in Python). Otherwise unsafe: Python cuts a window off
    at the end of the array and counts negative bounds from the end; `dynamic_slice`
    moves the window back, and a mask leaves everything out.

    ## Not fixed

    - A slice of traced width that is not reduced: pad it to a static size.
    - Lists that are cut at traced bounds; slices with a step.

    ## See

    - https://docs.jax.dev/en/latest/_autosummary/jax.lax.dynamic_slice_in_dim.html
    """

    visits: ClassVar = (ast.Subscript, ast.Call)
    needs_known: ClassVar = True

    def find(self, fn: Function, node: ast.Subscript | ast.Call) -> Problem | None:
        if isinstance(node, ast.Call):
            if polynomials.counted_range(fn, node) is None:
                return None
            because = next(b for a in node.args if (b := fn.traced(a)))
            return Problem(f"`{ast.unparse(node)}` has traced bounds", because)
        if not isinstance(node.ctx, ast.Load):
            return None
        bound = windows.traced_bound(fn, node)
        if bound is None or not arrays.is_sequence(fn.value(node.value)):
            return None
        text = ast.unparse(node)
        because = arrays.forced(fn, bound)
        return Problem(f"`{text}` is cut at a traced bound", because)

    def plan(self, fn: Function, node: ast.Subscript | ast.Call) -> Plan:
        if isinstance(node, ast.Call):
            return Expression("a range of static length, moved")
        if not arrays.is_array(fn.value(node.value)):
            raise CannotFix("a list cannot be cut at a traced place; make it an array")
        if masks.is_at(fn, node):
            return updates.plan_at(fn, node)
        cut = windows.cut(fn, node)
        if cut is not None and cut.proven:
            return Expression("lax.dynamic_slice")
        if cut is not None:
            return Expression(
                "lax.dynamic_slice (a window beyond the end is moved back)",
                Safety.UNSAFE,
            )
        found = masks.subscript_selection(fn, node)
        if found is None:
            raise CannotFix("the width of the slice is traced")
        plan = masks.mending(fn, found)
        title = "a reduction with `where=`"
        if plan.safety is Safety.UNSAFE:
            title += " (negative bounds no longer count from the end)"
        return Sites(title, plan.safety, masks.key(fn, found, plan))

    def fix(
        self,
        fn: Function,
        node: ast.Subscript | ast.Call,
        plan: Plan,
        write: Rewriter,
    ) -> ast.expr | None:
        spell = write.spell(fn)
        if isinstance(node, ast.Call):
            counted = polynomials.counted_range(fn, node)
            assert counted is not None, "the plan was made for such a range"
            start, count = counted
            places = build.call(spell("jax.numpy.arange"), count)
            return ast.BinOp(start, ast.Add(), places)
        if masks.is_at(fn, node):
            updates.mend_at(write, fn, node)
            return None
        if isinstance(plan, Expression):
            cut = windows.cut(fn, node)
            assert cut is not None, "the plan was made for windows"
            return windows.sliced(fn, cut, spell)
        found = masks.subscript_selection(fn, node)
        assert found is not None, "the plan was made for a selection"
        mend_selection(write, fn, found, masks.mending(fn, found))
        return None
