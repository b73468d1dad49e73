from __future__ import annotations

import ast
from typing import ClassVar

from jaxfix.codemod import (
    CannotFix,
    Function,
    ListRegion,
    Plan,
    Problem,
    Rule,
    rolled,
)


class ListAppendLoop(Rule):
    """List that a traced loop fills and that is stacked afterwards.

    The loop is unrolled, and the stack of n results compiles in time that grows with
    the square of n. `lax.scan` compiles the body once and stacks its outputs.

    ## Example

    ```python before
    @jax.jit
    def running_sum(values):
        total = 0.0
        sums = []
        for value in values:
            total = total + value
            sums.append(total)
        return jnp.stack(sums)


    def main():
        return running_sum(jnp.arange(200.0))
    ```

    ```python after
    @jax.jit
    def running_sum(values):
        total = 0.0

        def body(total, value):
            total = total + value
            return total, total

        _, sums = lax.scan(body, total, values)
        return sums


    def main():
        return running_sum(jnp.arange(200.0))
    ```

    ```python check
    running_sum(jnp.array([1.0, 2.0, 4.0]))
    ```

    ## Safety

    Safe. An empty sequence gives an empty array, where `jnp.stack([])` was an error.

    ## Not fixed

    - Lists that are returned, indexed, or filled under a condition.
    - Loops whose variable is needed as a Python number.

    ## See

    - https://docs.jax.dev/en/latest/_autosummary/jax.lax.scan.html
    """

    visits: ClassVar = (ast.For,)

    def find(self, fn: Function, node: ast.For) -> Problem | None:
        if not fn.under or fn.traced_count(node) or not rolled.appends(node):
            return None
        count = rolled.trips(fn, node)
        many = count >= rolled.MANY_OUTPUTS if count is not None else False
        if not (many or (count is None and rolled.over_array(fn, node.iter))):
            return None
        if not rolled.works_on_tracers(fn, node) or node.orelse:
            return None
        try:
            if not rolled.growing_lists(fn, node):
                return None
        except CannotFix:
            return None
        how_many = f"{count} results" if count is not None else "results"
        return Problem(f"{how_many} are appended to a list in an unrolled loop")

    def plan(self, fn: Function, node: ast.For) -> Plan:
        return ListRegion("lax.scan", needed=False)
