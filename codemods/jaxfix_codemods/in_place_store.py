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
    Statement,
    aliases,
    kept_arrays,
    mutators,
    store_calls,
    stores,
    updates,
)


class InPlaceStore(Rule):
    """Store into an array that is traced, or that compiled code has read.

    JAX arrays cannot be changed: `x[i] = v` is a TypeError. `x.at[i].set(v)` gives a
    new array, which the compiler makes in place where it can. A NumPy array can be
    changed while JAX traces; but the program takes it in without a copy, and computes
    with what is in it at the end.

    ## Example

    ```python before
    @jax.jit
    def edit(x, v):
        x[0] = v
        x[1:3] += 0.5
        x[x > 9.0] = 0
        return x
    ```

    ```python after
    @jax.jit
    def edit(x, v):
        x = x.at[0].set(v)
        x = x.at[1:3].add(0.5)
        x = jnp.where(x > 9.0, 0, x)
        return x
    ```

    ```python check
    edit(np.array([1.0, 2.0, 10.0, 4.0], np.float32), 5.0)
    edit(np.array([1.0, 8.75, 9.0, 4.0], np.float32), 12.0)
    ```

    ## Safety

    Safe, where no other name of the array is read afterwards: NumPy would show it the
    store. An index out of range raises in NumPy and is dropped by JAX. A NumPy buffer
    that is filled with tracers becomes an array of JAX, with its 32-bit default dtype.
    `np.add.at` and its kin, `np.copyto`, `np.fill_diagonal` and `np.add(..., out=x)`
    are stores, too.
    Unsafe: a function that stores into its argument comes to return it, and a slice
    whose traced start might be negative.

    ## Not fixed

    - Another name of the array is read afterwards, or the array belongs to an object or
      to an enclosing function.
    - `x[indices] += v` with indices that may repeat.
    - `x.sort()`, `x.partition(k)` and the like, which give a new array in JAX.
    - NumPy arrays that are whole before compiled code reads them are left alone.

    ## See

    - https://docs.jax.dev/en/latest/_autosummary/jax.numpy.ndarray.at.html
    """

    visits: ClassVar = (ast.Assign, ast.AugAssign, ast.Expr)

    def find(
        self, fn: Function, node: ast.Assign | ast.AugAssign | ast.Expr
    ) -> Problem | None:
        if isinstance(node, ast.Expr):
            call = store_calls.store_call(fn, node)
            because = store_calls.why_stored(fn, call) if call is not None else ()
            text = ast.unparse(node)
            if unchanged := store_calls.why_unchanged(fn, node):
                return Problem(f"`{text}` changes no traced array", unchanged)
            if kept := store_calls.why_kept_by(fn, node):
                what = "changes an array that compiled code has read"
                return Problem(f"`{text}` {what}", kept)
            if not because:
                return None
            return Problem(f"`{text}` stores into a traced array", because)
        for target in stores.array_targets(fn, node):
            text = f"`{ast.unparse(target)}` is stored into, but"
            if because := stores.why_traced(fn, node, target):
                return Problem(f"{text} traced", because)
            because = stores.why_stored(fn, node, target)
            return Problem(f"{text} compiled code has read the array", because)
        if (part := stores.assigned_part(fn, node)) is not None:
            text = f"`{ast.unparse(part)}` is assigned, but"
            return Problem(f"{text} traced", fn.traced(part.value))
        if (
            isinstance(node, ast.AugAssign)
            and isinstance(node.target, ast.Name)
            and (because := aliases.hidden_store(fn, node))
        ):
            text = ast.unparse(node)
            return Problem(f"`{text}` changes a NumPy array in place", because)
        if isinstance(node, ast.AugAssign) and (
            because := kept_arrays.why_kept_by(fn, node)
        ):
            text = f"`{ast.unparse(node)}` changes an array that compiled code has read"
            return Problem(text, because)
        return None

    def plan(self, fn: Function, node: ast.Assign | ast.AugAssign | ast.Expr) -> Plan:
        if isinstance(node, ast.Expr):
            if store_calls.store_call(fn, node) is None:
                raise CannotFix("bind a new array, such as `x = jnp.sort(x)`")
            call = store_calls.store_call(fn, node)
            assert call is not None, "such a call was found"
            store_calls.check(fn, node, call)
            return Statement("a new array", Safety.SAFE)
        if (part := stores.assigned_part(fn, node)) is not None:
            raise CannotFix(f"bind a new array: {stores.BOUND_ANEW[part.attr]}")
        if isinstance(node, ast.AugAssign) and kept_arrays.why_kept_by(fn, node):
            updates.check_rebound(fn, node)
            return Statement("a new array", Safety.SAFE)
        if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
            if aliases.is_argument_of_helper(fn, node.target.id):
                raise CannotFix(
                    f"return `{node.target.id}`, and bind what the call gives: JAX"
                    " makes a new array, which the caller does not see"
                )
            raise CannotFix(
                f"`{node.target.id}` is another name of an array that is read "
                "afterwards; without a copy NumPy changes both, JAX only one"
            )
        if isinstance(fn.node, ast.Module):
            raise CannotFix("the store is not in a function")
        found = mutators.mutator(fn)
        if found is None:
            return Statement("`.at[...]` or `jnp.where`", updates.check_store(fn, node))
        for stmt in stores.walk_stores(fn):
            updates.check_store(fn, stmt)
        return Sites(
            f"`.at[...]`; `{fn.qualname}` returns the array and its callers take it",
            Safety.UNSAFE,
            f"{fn.path}:{fn.node.lineno}:{fn.node.col_offset}",
        )

    def fix(
        self,
        fn: Function,
        node: ast.Assign | ast.AugAssign | ast.Expr,
        plan: Plan,
        write: Rewriter,
    ) -> list[ast.stmt] | None:
        if isinstance(node, ast.Expr):
            return updates.store_call_statements(write, fn, node)
        if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
            return [updates.rebound(node)]
        if isinstance(plan, Statement):
            return updates.store_statements(write, fn, node)
        found = mutators.mutator(fn)
        assert found is not None, "the plan was made for such a function"
        updates.mend_mutator(write, fn, found)
        return None
