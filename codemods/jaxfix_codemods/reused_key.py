from __future__ import annotations

import ast
from typing import ClassVar

from jaxfix.codemod import (
    CannotFix,
    Evidence,
    Function,
    Plan,
    Problem,
    Rule,
    Safety,
    keys,
)


class ReusedKey(Rule):
    """Random key that is consumed twice, so that both draws are the same.

    A key is not a generator: it has no state, and two draws from it give the same bits.
    `jax.random.split` consumes the key too; only what it returns is fresh.

    ## Example

    ```python before
    def pair(key):
        a = jax.random.normal(key, (3,))
        b = jax.random.normal(key, (3,))
        return a, b
    ```

    ## Safety

    Reported only: which draws should be independent is the author's to say. The usual
    form splits first.

    ```python
    def pair(key):
        first, second = jax.random.split(key)
        a = jax.random.normal(first, (3,))
        b = jax.random.normal(second, (3,))
        return a, b
    ```

    In a loop: `jax.random.fold_in(key, i)`, or `key, sub = jax.random.split(key)`.

    ## Not fixed

    - Always.
    - No finding for uses in branches that exclude each other, for `fold_in` with
      different data, nor for functions of which we cannot see that they consume a key.

    ## See

    - https://docs.jax.dev/en/latest/random-numbers.html
    """

    visits: ClassVar = (ast.Call,)
    safety: ClassVar = Safety.REPORT

    def find(self, fn: Function, node: ast.Call) -> Problem | None:
        reuse = keys.reuses(fn).get(id(node))
        if reuse is None or keys.in_test(fn):
            return None
        if reuse.first is node:
            return Problem(
                f"`{reuse.name}` is consumed by every iteration of a loop", ()
            )
        first = Evidence(
            fn.path,
            reuse.first.lineno,
            f"`{reuse.name}` is consumed for the first time",
        )
        return Problem(f"`{reuse.name}` was consumed before", (first,))

    def plan(self, fn: Function, node: ast.Call) -> Plan:
        raise CannotFix("which draws should be independent is not known; split the key")
