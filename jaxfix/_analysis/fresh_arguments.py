"""Functions made anew at each call that are given for a static parameter.

Programs are kept by the values of static arguments, and a lambda, a partial and what
`jax.grad` returns are equal to nothing but themselves.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .fresh import captures, kind_of
from .local_jits import repeats, runs_repeatedly
from .static_uses import given_at, roots_called, static_parameters

if TYPE_CHECKING:
    from .facts import Function

FRESH = frozenset({"lambda", "partial", "transform"})


@dataclass(frozen=True, slots=True)
class FreshArgument:
    """The expression `given` for the static parameter `name`.

    `captured`: the local variables that it reads.
    """

    name: str
    given: ast.expr
    kind: str
    captured: tuple[str, ...]


def fresh_arguments(fn: Function, node: ast.Call) -> list[FreshArgument]:
    """The functions that a call makes for static parameters, again and again."""
    if fn.under and not fn.on_host:
        return []
    found: list[FreshArgument] = []
    for root in roots_called(fn, node):
        for name, _ in static_parameters(root):
            given = given_at(fn, node, root, name)
            kind = kind_of(fn, given) if given is not None else None
            if given is None or kind not in FRESH:
                continue
            if repeats(fn, node) or (
                not isinstance(fn.node, ast.Module) and runs_repeatedly(fn)
            ):
                found.append(FreshArgument(name, given, kind, captures(fn, given)))
    return found


def is_lasting(fn: Function, one: FreshArgument, place: ast.stmt) -> bool:
    """Does the expression give the same function wherever it is evaluated?

    `place` is the statement of the module before which that would be.
    """
    if one.captured:
        return False
    if isinstance(one.given, ast.Lambda):
        spec = one.given.args
        return not (spec.defaults or any(spec.kw_defaults))
    body = fn.module.tree.body
    above = body[: next(i for i, stmt in enumerate(body) if stmt is place)]
    lasting = {
        name
        for stmt in above
        if isinstance(stmt, ast.FunctionDef | ast.Import | ast.ImportFrom)
        for name in bound_by(stmt)
    }
    return all(
        node.id in lasting and node.id not in fn.module.rebound
        for node in ast.walk(one.given)
        if isinstance(node, ast.Name)
    )


def bound_by(stmt: ast.stmt) -> list[str]:
    """The names that an import or a definition binds."""
    match stmt:
        case ast.FunctionDef(name=name):
            return [name]
        case ast.Import(names=names) | ast.ImportFrom(names=names):
            return [n.asname or n.name.partition(".")[0] for n in names]
        case _:
            return []
