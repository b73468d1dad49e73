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
    joiners,
    numpy_calls,
)


class NumpyOnTracer(Rule):
    """NumPy function called on a traced value.

    NumPy wants the numbers, and a tracer has none: `TracerArrayConversionError`. The
    function of `jax.numpy` with the same name does the same on tracers. NumPy on shapes
    and other static values is good style and stays, and so do the functions that only
    call a method of their argument, such as `np.sum`.

    ## Example

    ```python before
    @jax.jit
    def features(x):
        n = int(np.prod(x.shape))
        return np.abs(x) / np.sqrt(n), np.linalg.norm([x[0], x[1]])
    ```

    ```python after
    @jax.jit
    def features(x):
        n = int(np.prod(x.shape))
        return jnp.abs(x) / np.sqrt(n), jnp.linalg.norm(jnp.array([x[0], x[1]]))
    ```

    ```python check
    features(jnp.array([3.0, 4.0]))
    features(jnp.array([-1.0, 2.0]))
    ```

    ## Safety

    Safe. What NumPy computes in 64 bits JAX computes in 32, unless x64 is enabled.

    ## Not fixed

    - Functions without a counterpart, or with arguments that it does not take, such as
      `casting=`.
    - Functions whose result has a size that depends on the data.

    ## See

    - https://docs.jax.dev/en/latest/errors.html#jax.errors.TracerArrayConversionError
    """

    visits: ClassVar = (ast.Call, ast.Subscript)

    def find(self, fn: Function, node: ast.Call | ast.Subscript) -> Problem | None:
        if isinstance(node, ast.Subscript):
            because, name = joiners.fails(fn, node), node.value
        else:
            because, name = numpy_calls.fails(fn, node), node.func
        if not because:
            return None
        return Problem(f"`{ast.unparse(name)}` is given a traced value", because)

    def plan(self, fn: Function, node: ast.Call | ast.Subscript) -> Plan:
        if isinstance(node, ast.Subscript):
            joined = joiners.in_jax(fn, node, lambda name: name)
            return Expression(ast.unparse(joined.value).replace("jax.numpy", "jnp"))
        outer = fn.module.parent(node)
        if outer is not None and (fn.library(outer) or "").startswith("numpy.testing."):
            raise CannotFix("`numpy.testing` compares NumPy's arrays")
        made = numpy_calls.in_jax(fn, node, lambda name: name)
        return Expression(ast.unparse(made.func).replace("jax.numpy", "jnp"))

    def fix(
        self,
        fn: Function,
        node: ast.Call | ast.Subscript,
        plan: Plan,
        write: Rewriter,
    ) -> ast.expr:
        if isinstance(node, ast.Subscript):
            return joiners.in_jax(fn, node, write.spell(fn))
        return numpy_calls.in_jax(fn, node, write.spell(fn))
