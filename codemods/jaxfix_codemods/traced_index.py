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
    tables,
)


class TracedIndex(Rule):
    """Python list, dict or NumPy table indexed by a traced value.

    Lists and NumPy arrays want a Python integer, dicts a hash; a tracer has neither. An
    array of JAX takes tracers as indices, and `lax.switch` picks a function.

    ## Example

    ```python before
    RATES = [0.1, 0.2, 0.4]
    CURVE = np.array([1.0, 3.0, 9.0], np.float32)
    SHAPES = [jnp.sin, jnp.cos]


    @jax.jit
    def quote(i, x):
        return RATES[i] + CURVE[i], SHAPES[i % 2](x)
    ```

    ```python after
    RATES = [0.1, 0.2, 0.4]
    CURVE = np.array([1.0, 3.0, 9.0], np.float32)
    SHAPES = [jnp.sin, jnp.cos]


    @jax.jit
    def quote(i, x):
        return jnp.array(RATES)[i] + jnp.asarray(CURVE)[i], lax.switch(i % 2, SHAPES, x)
    ```

    ```python check
    quote(0, 10.0)
    quote(-1, 10.0)
    ```

    ## Safety

    Safe for lists and tables: negative indices count from the end, as in Python; an
    index out of range raises in Python and is clamped by JAX. Unsafe for dicts: a key
    that is missing no longer raises KeyError.

    ## Not fixed

    - Containers of strings, or of arrays of different shapes.
    - A function that is picked in one place and called in another.
    - A list or dict that is written at a traced place: make it an array.

    ## See

    - https://docs.jax.dev/en/latest/errors.html#jax.errors.TracerIntegerConversionError
    """

    visits: ClassVar = (ast.Subscript, ast.Call)

    def find(self, fn: Function, node: ast.Subscript | ast.Call) -> Problem | None:
        found = tables.lookup(fn, node)
        if found is None:
            return None
        text = ast.unparse(node if found.call is None else found.call.func)
        return Problem(f"`{text}` looks up a traced value", found.because)

    def plan(self, fn: Function, node: ast.Subscript | ast.Call) -> Plan:
        found = tables.lookup(fn, node)
        assert found is not None, "it was found to be a lookup"
        if isinstance(node, ast.Subscript) and not isinstance(node.ctx, ast.Load):
            raise CannotFix("a list or dict is written at a traced place")
        tables.rewritten(fn, found, lambda name: name)
        safety = tables.safety(found)
        title = "lax.switch" if found.call is not None else "a table of JAX"
        if safety is Safety.UNSAFE:
            title += " (a key that is missing no longer raises)"
        return Expression(title, safety)

    def fix(
        self,
        fn: Function,
        node: ast.Subscript | ast.Call,
        plan: Plan,
        write: Rewriter,
    ) -> ast.expr:
        found = tables.lookup(fn, node)
        assert found is not None, "the plan was made for a lookup"
        return tables.rewritten(fn, found, write.spell(fn))
