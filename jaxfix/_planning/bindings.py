"""Names that the condition of a loop binds with `:=`."""

from __future__ import annotations

import ast

from jaxfix._analysis import build
from jaxfix._analysis.facts import Function

from .booleans import is_bool, marked


def bindings(test: ast.expr) -> list[ast.NamedExpr]:
    return [n for n in ast.walk(test) if isinstance(n, ast.NamedExpr)]


def in_turn(
    fn: Function, loop: ast.AST | None
) -> list[tuple[list[ast.stmt], ast.expr]] | None:
    """The parts of `while a and (y := f(x)) > 0`: what each binds, then what it asks.

    None if the condition binds nothing, or may do so before all of it is asked.
    """
    match loop:
        case ast.While(test=ast.BoolOp(op=ast.And(), values=values) as test, orelse=[]):
            named = bindings(test)
        case _:
            return None
    if not named or (len(named) == 1 and without_binding(fn, test) is not None):
        return None
    parts: list[tuple[list[ast.stmt], ast.expr]] = []
    for value in values:
        bound = bindings(value)
        asked = without_binding(fn, value) if bound else value
        if asked is None or len(bound) > 1:
            return None
        parts.append(([build.assign(b.target.id, b.value) for b in bound], asked))
    return parts


def is_asked_in_turn(fn: Function, node: ast.AST) -> bool:
    """Is it the condition of a loop, of which `in_turn` takes the parts?"""
    loop = fn.module.parent(node)
    is_test = isinstance(loop, ast.While) and loop.test is node
    return is_test and in_turn(fn, loop) is not None


def without_binding(fn: Function, test: ast.expr) -> ast.expr | None:
    """A condition with the name that it binds first; None if it may not bind it."""
    match test:
        case ast.NamedExpr(target=ast.Name(id=name), value=value):
            return _known(build.load(name), fn, value)
        case ast.Compare(left=left) if (first := without_binding(fn, left)) is not None:
            return _known(ast.Compare(first, test.ops, test.comparators), fn, test)
        case ast.UnaryOp(op=ast.Not() as op, operand=operand):
            first = without_binding(fn, operand)
            return ast.UnaryOp(op, first) if first is not None else None
        case ast.BoolOp(op=op, values=[one, *others]):
            first = without_binding(fn, one)
            return ast.BoolOp(op, [first, *others]) if first is not None else None
        case _:
            return None


def _known(node: ast.expr, fn: Function, like: ast.expr) -> ast.expr:
    """A new node with what is known of the original one."""
    value = fn.value(like)
    node.fact = value  # type: ignore[attr-defined]
    return marked(node) if is_bool(value) else node
