"""A call like `out.append(x)` that every way through an `if` makes, made once behind.

The branches then choose what is appended. What a branch does after its call comes
before the call now, so it must have nothing to do with the list.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from jaxfix._analysis import build
from jaxfix._analysis.closures import hidden_reads
from jaxfix._analysis.facts import Function
from jaxfix._analysis.scopes import MUTATING_METHODS
from jaxfix._analysis.values import Const, Dict, Seq, alternatives

from .blocks import copy_with, statements_in

BINDS = (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.If, ast.Pass)


def calls_of(fn: Function, stmt: ast.stmt) -> list[ast.Call]:
    """The one call of each way through an `if`; empty if a way has no such call."""
    match stmt:
        case ast.If(body=[_, *_] as first, orelse=[_, *_] as second):
            one = calls_of(fn, first[place(fn, first)])
            other = calls_of(fn, second[place(fn, second)])
            return [*one, *other] if one and other else []
        case ast.Expr(
            value=ast.Call(
                func=ast.Attribute(value=ast.Name(), attr=attr), args=[arg], keywords=[]
            ) as call
        ) if attr in MUTATING_METHODS and not isinstance(arg, ast.Starred):
            return [call]
        case _:
            return []


def place(fn: Function, block: Sequence[ast.stmt]) -> int:
    """Where in a branch the call stands: last, but for what may as well come before."""
    index = len(block) - 1
    while index and may_come_before(fn, block[index]):
        index -= 1
    return index


def may_come_before(fn: Function, stmt: ast.stmt) -> bool:
    """Does a statement only bind names, and see no list?"""
    for node in statements_in(stmt):
        if not isinstance(node, BINDS):
            return False
    if hidden_reads(fn, stmt):
        return False
    return not any(
        isinstance(option, Seq | Dict)
        for node in ast.walk(stmt)
        if isinstance(node, ast.Name | ast.AugAssign)
        for option in alternatives(fn.value(node) or Const(None))
        if not (isinstance(option, Seq) and option.kind == "tuple")
    )


def with_item(fn: Function, stmt: ast.stmt, item: str) -> ast.stmt:
    """The `if` with `item = x` in place of each call `out.append(x)` of `calls_of`."""
    match stmt:
        case ast.If(body=body, orelse=orelse):
            parts: list[list[ast.stmt]] = []
            for block in (body, orelse):
                index = place(fn, block)
                made = with_item(fn, block[index], item)
                parts.append([*block[:index], made, *block[index + 1 :]])
            return copy_with(stmt, body=parts[0], orelse=parts[1])
        case ast.Expr(value=ast.Call(args=[value])):
            bound = build.assign(item, value)
            bound.origin = build.source_of(stmt)  # type: ignore[attr-defined]
            bound.is_item = True  # type: ignore[attr-defined]
            return bound
        case _:
            raise AssertionError("it has such calls")
