from __future__ import annotations

import ast
from typing import ClassVar

from jaxfix.codemod import (
    CannotFix,
    Evidence,
    Function,
    Plan,
    Problem,
    Rewriter,
    Rule,
    Safety,
    Sites,
    build,
    caching,
)


class CachedTracer(Rule):
    """Cached function that makes arrays and is called from compiled code.

    Under `jax.jit` every call of `jnp` gives a tracer, of constants too.
    `functools.lru_cache` keeps it, and hands it to the next program that asks, which
    stops with `UnexpectedTracerError`. Computed in `jax.ensure_compile_time_eval()` the
    value is an array, that all may share.

    ## Example

    ```python before
    @functools.lru_cache
    def window(n):
        return jnp.hanning(n)

    @jax.jit
    def smooth(x):
        return x * window(x.shape[0])

    @jax.jit
    def smooth_twice(x):
        return x * window(x.shape[0]) ** 2
    ```

    ```python after
    @functools.lru_cache
    def window(n):
        with jax.ensure_compile_time_eval():
            return jnp.hanning(n)

    @jax.jit
    def smooth(x):
        return x * window(x.shape[0])

    @jax.jit
    def smooth_twice(x):
        return x * window(x.shape[0]) ** 2
    ```

    ```python check
    smooth(jnp.ones(4))
    smooth_twice(jnp.ones(4))
    ```

    ## Safety

    Safe: the arguments of the cached function are known while tracing, and so is what
    it computes of them.

    ## Not fixed

    - A cached function that is given traced values, or that reads them by its closure.

    ## See

    - https://docs.jax.dev/en/latest/errors.html#jax.errors.UnexpectedTracerError
    """

    visits: ClassVar = (ast.FunctionDef,)
    safety: ClassVar = Safety.SAFE

    def find(self, fn: Function, node: ast.FunctionDef) -> Problem | None:
        if fn.node is not node or caching.decorator(fn) is None:
            return None
        kept = caching.kept_tracer(fn)
        if kept is None:
            return None
        because = kept.why.chain()[::-1] if kept.why is not None else ()
        line = getattr(node.decorator_list[0], "lineno", node.lineno)
        text = f"`{node.name}` keeps what it returns"
        return Problem(
            f"the cache of `{node.name}` keeps a tracer",
            (Evidence(fn.path, line, text), *because),
        )

    def plan(self, fn: Function, node: ast.FunctionDef) -> Plan:
        if reason := caching.needs_tracers(fn):
            raise CannotFix(reason)
        title = "computed while tracing, by jax.ensure_compile_time_eval"
        return Sites(title, Safety.SAFE, f"cached {fn.path} {node.lineno}")

    def fix(
        self, fn: Function, node: ast.FunctionDef, plan: Plan, write: Rewriter
    ) -> None:
        writer = write.writer(fn.module)
        spelled = write.spell(fn)("jax.ensure_compile_time_eval")
        start = 1 if ast.get_docstring(node) is not None else 0
        docstring, body = node.body[:start], node.body[start:]
        block = ast.With([ast.withitem(build.call(spelled), None)], body)
        writer.replace_statement(
            node,
            lambda: writer.compound(
                node, {"body": writer.statements([*docstring, block])}
            ),
        )
        write.touch(fn)
