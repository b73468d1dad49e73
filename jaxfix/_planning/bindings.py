"""Names that the condition of a branch or a loop binds with `:=`."""

from __future__ import annotations

import ast

from jaxfix._analysis import build
from jaxfix._analysis.effects import obstacle
from jaxfix._analysis.facts import Function

from .blocks import copy_with
from .booleans import is_bool, marked, needed_before, prints


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
    return _plain(fn, test) if _binds_first(test) else None


def _binds_first(test: ast.expr) -> bool:
    match test:
        case ast.NamedExpr():
            return True
        case ast.Compare(left=first) | ast.BoolOp(values=[first, *_]):
            return _binds_first(first)
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return _binds_first(operand)
        case _:
            return False


def named_first(fn: Function, stmt: ast.If) -> list[ast.stmt] | None:
    """`n = f(x)`, then `if n > 0:`, for `if (n := f(x)) > 0:`.

    None if the condition binds nothing, or what Python may skip has an effect, or a
    value of the name from before is read later.
    """
    named = bindings(stmt.test)
    test = _plain(fn, stmt.test) if named else None
    if test is None or bindings(test):
        return None
    is_first = len(named) == 1 and without_binding(fn, stmt.test) is not None
    if not is_first:
        source = build.source_of(stmt)
        assert isinstance(source, ast.If), "a branch comes from a branch"
        if {n.target.id for n in named} & needed_before(fn, source):
            return None
        if any(obstacle(fn, n.value) or prints(fn, n.value) for n in named):
            return None
        if _is_guarded(fn, stmt.test):
            return None
    before: list[ast.stmt] = [build.assign(n.target.id, n.value) for n in named]
    return [*before, copy_with(stmt, test=test)]


def _is_guarded(fn: Function, test: ast.expr) -> bool:
    """Does something that is known while tracing decide whether a name is bound?

    `k < len(xs) and (x := xs[k]) > 0` guards the lookup.
    """
    return any(
        fn.tracer(earlier) is None
        for node in ast.walk(test)
        if isinstance(node, ast.BoolOp)
        for place, value in enumerate(node.values)
        if bindings(value)
        for earlier in node.values[:place]
    )


def _plain(fn: Function, test: ast.expr) -> ast.expr | None:
    """A condition with the names that it binds in their places; None if one is in a
    call or the like."""
    if not bindings(test):
        return test
    match test:
        case ast.NamedExpr(target=ast.Name(id=name), value=value):
            return _known(build.load(name), fn, value)
        case ast.Compare(left=left, ops=ops, comparators=rights):
            parts = [_plain(fn, part) for part in (left, *rights)]
            found = [part for part in parts if part is not None]
            if len(found) < len(parts):
                return None
            first, *others = found
            return _known(ast.Compare(first, ops, others), fn, test)
        case ast.UnaryOp(op=ast.Not() as op, operand=operand):
            inner = _plain(fn, operand)
            return ast.UnaryOp(op, inner) if inner is not None else None
        case ast.BoolOp(op=op, values=values):
            made = [part for v in values if (part := _plain(fn, v)) is not None]
            return ast.BoolOp(op, made) if len(made) == len(values) else None
        case _:
            return None


def _known(node: ast.expr, fn: Function, like: ast.expr) -> ast.expr:
    """A new node with what is known of the original one."""
    value = fn.value(like)
    node.fact = value  # type: ignore[attr-defined]
    return marked(node) if is_bool(value) else node
