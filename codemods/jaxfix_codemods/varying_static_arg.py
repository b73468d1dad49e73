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
    static_uses,
)

FEWER = "each value needs a program: round it up to few sizes, mask the rest"
EQUAL = "make its class a `@dataclass(frozen=True)`: equal ones share a program"


class VaryingStaticArg(Rule):
    """Static argument that has a new value at each of many calls.

    Each value of a static argument compiles a program of its own, and the programs are
    kept. In a long loop over the values that costs more time than the computation. An
    instance of a class without `__eq__` is a new value each time that one is made.

    ## Example

    ```python before
    @functools.partial(jax.jit, static_argnames=("n",))
    def head(x, n):
        return jnp.zeros(n) + x[:n]


    def run(x):
        return [head(x, n).sum() for n in range(1, 100)]
    ```

    ```text report
    7:13 varying-static-arg: `n`, passed for the static `n`, varies: 99 programs
        because: it changes in a loop (line 7)
        not fixed: each value needs a program: round it up to few sizes, mask the rest
    ```

    ## Safety

    Reported only.

    ## Not fixed

    What must be static cannot vary for free. Round it up to a few sizes and mask the
    rest; make the loop part of the program; or give a class of settings
    `@dataclass(frozen=True)`, so that equal settings share a program.

    ## See

    - https://docs.jax.dev/en/latest/jit-compilation.html#marking-arguments-as-static
    """

    visits: ClassVar = (ast.Call,)
    safety: ClassVar = Safety.REPORT

    def find(self, fn: Function, node: ast.Call) -> Problem | None:
        for root in static_uses.roots_called(fn, node):
            for name, parameter in static_uses.static_parameters(root):
                given = static_uses.given_at(fn, node, root, name)
                if given is None:
                    continue
                problem = fresh_object(fn, given, name)
                if problem is not None:
                    return problem
                problem = many_values(fn, given, name)
                if problem is not None and parameter in fn.facts.used_as_static:
                    return problem
        return None

    def plan(self, fn: Function, node: ast.Call) -> Plan:
        for root in static_uses.roots_called(fn, node):
            for name, _ in static_uses.static_parameters(root):
                given = static_uses.given_at(fn, node, root, name)
                if given is not None and fresh_object(fn, given, name) is not None:
                    raise CannotFix(EQUAL)
        raise CannotFix(FEWER)


def many_values(fn: Function, given: ast.expr, name: str) -> Problem | None:
    if not static_uses.is_number(fn, given):
        return None
    turns = static_uses.rounds(fn, given)
    if turns is not None and turns <= static_uses.FEW:
        return None
    count = f"{turns} programs" if turns is not None else "a program for each"
    text = f"`{ast.unparse(given)}`, passed for the static `{name}`, varies: {count}"
    return Problem(text, (Evidence(fn.path, given.lineno, "it changes in a loop"),))


def fresh_object(fn: Function, given: ast.expr, name: str) -> Problem | None:
    """A new object at each call, of a class that compares by identity."""
    cls = static_uses.fresh_instance(fn, given)
    if cls is None:
        return None
    text = (
        f"`{ast.unparse(given)}`, passed for the static `{name}`, is new at each call"
    )
    because = f"`{cls.name}` has no `__eq__`, so each instance has its own program"
    return Problem(text, (Evidence(cls.module.path, cls.node.lineno, because),))
