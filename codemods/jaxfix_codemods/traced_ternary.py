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
    booleans,
    callees,
    shared_names,
)


class TracedTernary(Rule):
    """Conditional expression on a traced value.

    `a if c else b` asks for a concrete bool. `jnp.where` evaluates both values and
    picks one; where a value is expensive, or not defined on both sides, `lax.cond`
    does.

    ## Example

    ```python before
    @jax.jit
    def hinge(x):
        return x if x > 0 else 0.1 * x
    ```

    ```python after
    @jax.jit
    def hinge(x):
        return jnp.where(x > 0, x, 0.1 * x)
    ```

    ```python check
    hinge(2.0)
    hinge(-2.0)
    jax.grad(hinge)(-2.0)
    ```

    ## Safety

    Safe. `jnp.where` only where both values and their gradients are finite.

    ## Not fixed

    - One value is None, a string or of another shape.
    - A function that is picked in one place and called in another.
    - A value with effects: a walrus, an append.
    - One value is a NumPy array, and a store into the result shows in it.

    ## See

    - https://docs.jax.dev/en/latest/_autosummary/jax.numpy.where.html
    """

    visits: ClassVar = (ast.IfExp, ast.Call)

    def find(self, fn: Function, node: ast.IfExp | ast.Call) -> Problem | None:
        choice = node
        if isinstance(choice, ast.Call):
            picked = callees.picked_callee(fn, choice)
            if picked is None:
                return None
            choice = picked
        elif callees.picked_callee(fn, fn.module.parent(choice)) is choice:
            return None
        if because := fn.traced(choice.test):
            text = ast.unparse(choice.test)
            return Problem(f"`... if {text} else ...` on a traced value", because)
        return None

    def plan(self, fn: Function, node: ast.IfExp | ast.Call) -> Plan:
        if isinstance(node, ast.Call):
            callees.chosen_call(fn, lambda name: name, node)
            return Expression("lax.cond")
        booleans.check_traced(fn, node.test)
        shared_names.check_choice(fn, node)
        for part in (node.body, node.orelse):
            for name in bound_names(part):
                if name in names_outside(fn, part):
                    raise CannotFix(
                        f"one of the values binds `{name}`, which is read later"
                    )
        return Expression("jnp.where or lax.cond")

    def fix(
        self, fn: Function, node: ast.IfExp | ast.Call, plan: Plan, write: Rewriter
    ) -> ast.expr:
        if isinstance(node, ast.Call):
            return callees.chosen_call(fn, write.spell(fn), node)
        return write.choose(fn, node.test, node.body, node.orelse)


def bound_names(part: ast.expr) -> set[str]:
    """Names that a walrus in the expression binds."""
    return {n.target.id for n in ast.walk(part) if isinstance(n, ast.NamedExpr)}


def names_outside(fn: Function, part: ast.expr) -> set[str]:
    inside = {id(n) for n in ast.walk(part)}
    return {
        n.id
        for n in ast.walk(fn.node)
        if isinstance(n, ast.Name) and id(n) not in inside
    }
