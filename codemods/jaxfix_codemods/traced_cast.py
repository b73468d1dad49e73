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
    arrays,
    casts,
    formats,
    tables,
)


class TracedCast(Rule):
    """Traced value made a Python number: `float(x)`, `x.item()`, `math.sqrt(x)`.

    A tracer has no number to give: `ConcretizationTypeError`. The array can be used as
    it is, or `x.astype(int)`; `jax.numpy` has the functions of `math`.

    ## Example

    ```python before
    import math


    @jax.jit
    def step(log_rate, table):
        rate = float(jnp.exp(log_rate))
        slot = int(jnp.floor(rate))
        return table[slot] * math.sqrt(math.pi * rate)
    ```

    ```python after
    import math


    @jax.jit
    def step(log_rate, table):
        rate = jnp.exp(log_rate)
        slot = jnp.floor(rate).astype(int)
        return table[slot] * jnp.sqrt(math.pi * rate)
    ```

    ```python check
    step(0.2, jnp.array([1.0, 2.0, 3.0]))
    step(0.9, jnp.array([1.0, 2.0, 3.0]))
    ```

    ## Safety

    Safe. A Python float is a double and of weak type, an array of JAX a float32:
    arithmetic with half precision arrays becomes float32. `math` raises where a
    function is not defined (the root of -1), JAX gives NaN. Gradients flow through
    what was cast.

    ## Not fixed

    - The number is a shape or a size: it must be static, an argument of the function
      for instance (see `missing-static-arg`).
    - The number is stored outside of the function, or is what `__bool__` returns.
    - `tolist()` whose list is used as such, and functions of `math` without a
      counterpart.
    - Numbers in a text: `f"{x:.2f}"`, `"%d" % x`, `format(x, ".2f")`. A tracer refuses
      every format; `jax.debug.print` takes the value beside it.
    - Casts in a `try` that catches the error: the program handles tracers itself.

    ## See

    - https://docs.jax.dev/en/latest/errors.html#jax.errors.ConcretizationTypeError
    """

    visits: ClassVar = (ast.Call, ast.JoinedStr, ast.BinOp)
    gives_tracer: ClassVar = True

    def find(self, fn: Function, node: ast.expr) -> Problem | None:
        if (one := formats.formatted(fn, node)) is not None:
            if arrays.caught(fn, node):
                return None
            shown = ast.unparse(one.value)
            return Problem(
                f"a format asks for the number of `{shown}`, which is traced",
                one.because,
            )
        if not isinstance(node, ast.Call):
            return None
        found = casts.cast(fn, node)
        if found is None or arrays.caught(fn, node):
            return None
        if casts.is_for_a_static_argument(fn, node, found):
            return None
        text = ast.unparse(node)
        return Problem(f"`{text}` asks for the number of a traced value", found.because)

    def plan(self, fn: Function, node: ast.expr) -> Plan:
        if formats.formatted(fn, node) is not None or not isinstance(node, ast.Call):
            raise CannotFix(formats.advice(fn, node))
        found = casts.cast(fn, node)
        assert found is not None, "it was found to be a cast"
        if arrays.size_uses(fn, node):
            raise CannotFix("the number is used as a shape, which must be static")
        casts.check_end(fn, node)
        for use in arrays.key_uses(fn, node):
            if (lookup := tables.lookup(fn, use)) is not None:
                tables.rewritten(fn, lookup, lambda name: name)
        made = casts.as_array(fn, node, found, lambda name: name)
        if made is found.arg:
            return Expression("the array itself")
        return Expression(ast.unparse(made).replace("jax.numpy.", "jnp."))

    def fix(
        self, fn: Function, node: ast.Call, plan: Plan, write: Rewriter
    ) -> ast.expr:
        found = casts.cast(fn, node)
        assert found is not None, "the plan was made for a cast"
        return casts.as_array(fn, node, found, write.spell(fn))
