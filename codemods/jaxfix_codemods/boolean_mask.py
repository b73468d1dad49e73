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
    Safety,
    Sites,
    constant_masks,
    masks,
    mend_selection,
    static_options,
    updates,
)


class BooleanMask(Rule):
    """Elements picked by a traced boolean mask.

    The size of `x[x > 0]` depends on the values, and shapes must be known when JAX
    compiles: `NonConcreteBooleanIndexError`. A reduction does not need the selection:
    `where=` makes it skip what the mask leaves out. Nor does an update: the array that
    `x.at[mask].set(v)` gives is `jnp.where(mask, v, x)`. A mask that `jax.numpy` makes
    of constants is traced as well; NumPy makes one that is not.

    ## Example

    ```python before
    @jax.jit
    def upper(x, threshold):
        total = x[x > threshold].sum()
        big = x[x > threshold]
        return total, jnp.mean(big**2), len(big)
    ```

    ```python after
    @jax.jit
    def upper(x, threshold):
        total = jnp.sum(x, where=x > threshold)
        mask = x > threshold
        return total, jnp.mean(x**2, where=mask), jnp.sum(mask)
    ```

    ```python check
    upper(jnp.array([1.0, 5.0, 2.0, 8.0]), 1.5)
    upper(jnp.array([1.0, 5.0, 2.0, 8.0]), 4.0)
    ```

    ## Safety

    Safe for sums, means and the like. `max` and `min` of an empty selection raise in
    Python and give minus or plus infinity (or the limit of the integers) afterwards:
    unsafe. Logarithms, roots and quotients of selected elements get 1 at the other
    places, so that gradients stay finite; products and powers get 0 there, where the
    mask asks for NaN, or the function is differentiated and the mask compares other
    arrays.

    ## Not fixed

    - A selection that is not reduced, or used otherwise too. Keep the full array with
      `jnp.where(mask, x, fill)`, or give the largest size: `jnp.nonzero(mask, size=n)`.
    - A mask of which it cannot be seen that it has the shape of the array.
    - A count that is used as a shape.

    ## See

    - https://docs.jax.dev/en/latest/_autosummary/jax.numpy.sum.html
    """

    visits: ClassVar = (ast.Subscript, ast.Call)

    def find(self, fn: Function, node: ast.Subscript | ast.Call) -> Problem | None:
        mask: ast.expr | None = None
        if isinstance(node, ast.Call):
            mask = node.args[0] if masks.is_reduced(fn, node) else None
        elif isinstance(node.ctx, ast.Load):
            is_stored = masks.is_assigned_in_place(fn, node)
            mask = masks.traced_mask(fn, node) if not is_stored else None
        if mask is None:
            return None
        text = ast.unparse(node)
        return Problem(f"`{text}` has a size that depends on the data", fn.traced(mask))

    def plan(self, fn: Function, node: ast.Subscript | ast.Call) -> Plan:
        if isinstance(node, ast.Call):
            return self.mending(fn, node)
        if constant := constant_masks.calls(fn, node):
            key = f"{fn.path}:{constant[0].lineno}:{constant[0].col_offset}"
            return Sites("NumPy in place of jax.numpy", Safety.SAFE, key)
        if masks.is_at(fn, node):
            return updates.plan_at(fn, node)
        return self.mending(fn, node)

    def mending(self, fn: Function, node: ast.expr) -> Plan:
        found = masks.subscript_selection(fn, node)
        if found is None:
            raise CannotFix("the mask is one of several indices")
        plan = masks.mending(fn, found)
        title = "a reduction with `where=`"
        if plan.safety is Safety.UNSAFE:
            title += " (an empty selection no longer raises)"
        return Sites(title, plan.safety, masks.key(fn, found, plan))

    def fix(
        self,
        fn: Function,
        node: ast.Subscript | ast.Call,
        plan: Plan,
        write: Rewriter,
    ) -> None:
        if isinstance(node, ast.Subscript):
            if constant := constant_masks.calls(fn, node):
                static_options.call_numpy(write, fn, constant)
                return
            if masks.is_at(fn, node):
                updates.mend_at(write, fn, node)
                return
        found = masks.subscript_selection(fn, node)
        assert found is not None, "the plan was made for a selection"
        mend_selection(write, fn, found, masks.mending(fn, found))
