from __future__ import annotations

import ast
from typing import ClassVar

from jaxfix.codemod import Function, Plan, Problem, Region, Rule, booleans


class TracedIf(Rule):
    """`if` statement on a traced value.

    Python's `if` asks for a concrete bool. Under `jax.jit` the test is a tracer, which
    has none, so tracing stops with `TracerBoolConversionError`. Cheap values that are
    safe to compute in vain become `jnp.where`; everything else `lax.cond`, which puts
    both branches into the compiled program and runs one of them.

    ## Example

    ```python before
    @jax.jit
    def damp(x, rate):
        y = x
        if x > 1.0:
            y = x * rate  # above the knee
        return y
    ```

    ```python after
    @jax.jit
    def damp(x, rate):
        y = x
        return jnp.where(
            x > 1.0,
            x * rate,  # above the knee
            y,
        )
    ```

    ```python check
    damp(3.0, 0.5)
    damp(-3.0, 0.5)
    jax.grad(damp)(3.0, 0.5)
    jax.grad(damp)(-3.0, 0.5)
    ```

    ## Safety

    Safe. Both values are evaluated only where neither they nor their gradients can be
    NaN or infinite; a division, a root or a logarithm stays in a branch of `lax.cond`.
    Under `jax.vmap` over the test both branches run and one result is selected.

    ## Not fixed

    - A name that only one branch binds and that is read afterwards.
    - Branches that give None and an array, or values of different shape.
    - A branch that raises, appends to a list from outside, or prints to a file.

    ## See

    - https://docs.jax.dev/en/latest/control-flow.html
    """

    visits: ClassVar = (ast.If, ast.Match)

    def find(self, fn: Function, node: ast.If | ast.Match) -> Problem | None:
        if isinstance(node, ast.Match):
            if because := fn.traced_subject(node):
                text = ast.unparse(node.subject)
                return Problem(f"`match {text}` on a traced value", because)
            return None
        blocks = [*node.body, *node.orelse]
        if is_traced_elif(fn, node) or any(isinstance(s, ast.Raise) for s in blocks):
            return None
        if because := fn.traced(node.test):
            return Problem(f"`if {ast.unparse(node.test)}` on a traced value", because)
        return None

    def plan(self, fn: Function, node: ast.If | ast.Match) -> Plan:
        if isinstance(node, ast.If):
            booleans.check_traced(fn, node.test)
        return Region("jnp.where or lax.cond")


def is_traced_elif(fn: Function, node: ast.If) -> bool:
    """An `elif` belongs to its `if`, where that is reported itself."""
    parent = fn.module.parent(node)
    return (
        isinstance(parent, ast.If)
        and parent.orelse == [node]
        and node.col_offset == parent.col_offset
        and bool(fn.traced(parent.test))
    )
