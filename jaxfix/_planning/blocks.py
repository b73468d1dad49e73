"""Blocks of statements: copies, comparisons, and why a plan for one failed."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import TypeGuard

from jaxfix._analysis import build
from jaxfix._analysis.finding import CannotFix

LEAVES = frozenset({"return", "break", "continue"})


class Blocked(CannotFix):
    """A plan that failed at a certain node of the source."""

    def __init__(self, node: ast.AST, reason: str) -> None:
        super().__init__(reason)
        self.node = build.source_of(node)


def statements_in(stmt: ast.stmt) -> list[ast.AST]:
    """The statements in a statement (itself too), not those of nested functions."""
    found: list[ast.AST] = []
    todo: list[ast.AST] = [stmt]
    while todo:
        node = todo.pop()
        if isinstance(node, ast.stmt):
            found.append(node)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            continue
        todo += [
            c
            for c in ast.iter_child_nodes(node)
            if isinstance(c, ast.stmt | ast.excepthandler | ast.match_case)
        ]
    return found


def copy_with(stmt: ast.stmt, **fields: object) -> ast.stmt:
    """A copy of a compound statement with other blocks; it remembers its origin."""
    make: Callable[..., ast.stmt] = type(stmt)
    new = make(**{name: getattr(stmt, name, None) for name in stmt._fields})
    for name, value in fields.items():
        setattr(new, name, value)
    new.origin = build.source_of(stmt)  # type: ignore[attr-defined]
    for mark in ("traced", "desugared", "done"):
        if hasattr(stmt, mark):
            setattr(new, mark, getattr(stmt, mark))
    return new


def is_short(rest: Sequence[ast.stmt]) -> bool:
    """May the rest of a block stand in two branches? One short statement may."""
    match rest:
        case [ast.Return(value=value)]:
            return value is None or sum(1 for _ in ast.walk(value)) <= 12
        case [ast.Assign() | ast.AugAssign() as only]:
            return sum(1 for _ in ast.walk(only)) <= 10
        case _:
            return not rest


def sets_flags(stmts: Sequence[ast.stmt]) -> bool:
    """Are these only assignments of constants that we made (`done = True`)?"""
    return bool(stmts) and all(
        isinstance(s, ast.Assign)
        and build.is_new(s)
        and isinstance(s.value, ast.Constant)
        and isinstance(s.value.value, bool)
        for s in stmts
    )


def merge_ifs(node: ast.If) -> ast.If:
    """`if a: F else: if b: F else: R` is `if a or b: F else: R`, where F sets flags."""
    match node:
        case ast.If(body=body, orelse=[ast.If() as inner]) if (
            node.traced  # type: ignore[attr-defined]
            and getattr(inner, "traced", False)
            and sets_flags(body)
            and same_code(body, inner.body)
        ):
            merged = ast.If(either(node.test, inner.test), body, inner.orelse)
            merged.traced = True  # type: ignore[attr-defined]
            if hasattr(node, "origin"):
                merged.origin = node.origin  # type: ignore[attr-defined]
            return merged
    return node


def either(a: ast.expr, b: ast.expr) -> ast.expr:
    values = [
        *(a.values if _is_new_or(a) else [a]),
        *(b.values if _is_new_or(b) else [b]),
    ]
    return ast.BoolOp(ast.Or(), values)


def _is_new_or(node: ast.expr) -> TypeGuard[ast.BoolOp]:
    return (
        isinstance(node, ast.BoolOp)
        and isinstance(node.op, ast.Or)
        and build.is_new(node)
    )


def same_code(a: Sequence[ast.stmt], b: Sequence[ast.stmt]) -> bool:
    return [ast.dump(s) for s in a] == [ast.dump(s) for s in b]
