"""A call like `out.append(x)` that every way through an `if` makes, made once behind.

The branches then choose what is appended. What a branch does after its call comes
before the call now, so it must have nothing to do with the list. The same goes for a
store `table[i] = x`.
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Sequence

from jaxfix._analysis import build
from jaxfix._analysis.arguments import as_array
from jaxfix._analysis.closures import hidden_reads
from jaxfix._analysis.facts import Function
from jaxfix._analysis.objects import (
    ClassValue,
    FunctionValue,
    ModuleValue,
    TransformedValue,
)
from jaxfix._analysis.scopes import MUTATING_METHODS, names, root_name, writes
from jaxfix._analysis.values import (
    Array,
    Const,
    Dict,
    Lib,
    Seq,
    Static,
    Value,
    alternatives,
    element,
    join,
)

from .blocks import copy_with, statements_in

# Functions see lists too, but their reads are looked for.
WITHOUT_LISTS = (
    Array,
    Const,
    Static,
    Lib,
    ClassValue,
    FunctionValue,
    ModuleValue,
    TransformedValue,
)
BINDS = (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.If, ast.Pass)


def ends_of(fn: Function, stmt: ast.stmt) -> list[ast.stmt]:
    """The one call or store of each way through an `if`; empty if a way has none.

    A way that stores nothing keeps what is at the place of a store.
    """
    match stmt:
        case ast.If(body=first, orelse=second):
            blocks = [b for b in (first, second) if not stores_nothing(fn, b)]
            found = [ends_of(fn, b[place(fn, b)]) for b in blocks]
            ends = [end for one in found for end in one]
            certain = all(found) and len(blocks) == 2
            stores = all(found) and not any(isinstance(e, ast.Expr) for e in ends)
            return ends if certain or stores else []
        case ast.Expr(
            value=ast.Call(
                func=ast.Attribute(value=ast.Name(), attr=attr), args=[arg], keywords=[]
            )
        ) if attr in MUTATING_METHODS and not isinstance(arg, ast.Starred):
            return [stmt]
        case (
            ast.Assign(targets=[ast.Subscript()])
            | ast.AugAssign(target=ast.Subscript())
        ):
            return [stmt]
        case _:
            return []


def keeps(fn: Function, stmt: ast.stmt) -> bool:
    """Is there a way through an `if` that stores nothing?"""
    nodes = [n for n in statements_in(stmt) if isinstance(n, ast.If)]
    return any(stores_nothing(fn, b) for n in nodes for b in (n.body, n.orelse))


def stores_nothing(fn: Function, block: Sequence[ast.stmt]) -> bool:
    """Is a branch empty, but for names that it binds and values for other stores?"""
    return all(getattr(s, "is_item", False) or may_come_before(fn, s) for s in block)


def common_end(fn: Function, stmt: ast.If) -> ast.Attribute | ast.Subscript | None:
    """Where all ways through an `if` put something in the end; None if they differ.

    It is a method of one list or dict, or one place of it.
    """
    places = [end_place(end) for end in ends_of(fn, stmt)]
    if not places or len({ast.dump(p) for p in places}) != 1:
        return None
    known = alternatives(fn.value(places[0].value) or Const(None))
    if not all(isinstance(o, Seq | Dict) for o in known):
        return None
    if keeps(fn, stmt) and not all(isinstance(o, Seq) and is_numeric(o) for o in known):
        return None  # there may be no such key, or no number
    if set(names(places[0])) & set(writes(stmt)) or has_calls(places[0]):
        return None
    if (
        isinstance(places[0], ast.Subscript)
        and root_name(places[0]) not in fn.variables
    ):
        return None  # others would see the tracer
    return places[0]


def is_numeric(known: Seq) -> bool:
    """Is each element of a list a number or an array?"""
    return all(as_array(option) is not None for option in alternatives(element(known)))


def put(end: ast.Attribute | ast.Subscript, item: str) -> ast.stmt:
    """The one statement that takes the value which the branches choose."""
    if isinstance(end, ast.Attribute):
        return ast.Expr(ast.Call(end, [build.load(item)], []))
    made = ast.Assign([end], build.load(item))
    made.takes_item = True  # type: ignore[attr-defined]
    return made


def end_place(end: ast.stmt) -> ast.Attribute | ast.Subscript:
    """`out.append` of a call, `table[i]` of a store."""
    match end:
        case ast.Expr(value=ast.Call(func=ast.Attribute() as function)):
            return function
        case ast.Assign(targets=[ast.Subscript() as target]):
            return target
        case ast.AugAssign(target=ast.Subscript() as target):
            return target
        case _:
            raise AssertionError("it is a call or a store")


def has_calls(node: ast.expr) -> bool:
    return any(isinstance(n, ast.Call | ast.NamedExpr) for n in ast.walk(node))


def place(fn: Function, block: Sequence[ast.stmt]) -> int:
    """Where in a branch the end stands: last, but for what may as well come before."""
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
    return all(
        holds_no_list(fn.value(node) or Const(None))
        for node in ast.walk(stmt)
        if isinstance(node, ast.Name | ast.AugAssign)
    )


def holds_no_list(value: Value) -> bool:
    """Is it certainly no list or dict, and nothing in which one may be?"""
    return all(
        holds_no_list(element(option))
        if isinstance(option, Seq) and option.kind == "tuple"
        else isinstance(option, WITHOUT_LISTS)
        for option in alternatives(value)
    )


def with_item(
    fn: Function, stmt: ast.stmt, end: ast.Attribute | ast.Subscript, item: str
) -> ast.stmt:
    """The `if` with `item = x` in place of `out.append(x)` and `table[i] = x`."""
    match stmt:
        case ast.If(body=body, orelse=orelse):
            parts: list[list[ast.stmt]] = []
            for block in (body, orelse):
                if stores_nothing(fn, block):
                    parts.append([as_item(stmt, item, kept(fn, end)), *block])
                    continue
                index = place(fn, block)
                made = with_item(fn, block[index], end, item)
                parts.append([*block[:index], made, *block[index + 1 :]])
            return copy_with(stmt, body=parts[0], orelse=parts[1])
        case ast.Expr(value=ast.Call(args=[value])) | ast.Assign(value=value):
            return as_item(stmt, item, value)
        case ast.AugAssign(op=op, value=value):
            summed = ast.BinOp(kept(fn, end), op, value)
            summed.fact = fn.value(stmt)  # type: ignore[attr-defined]
            return as_item(stmt, item, summed)
        case _:
            raise AssertionError("it has such ends")


def as_item(stmt: ast.stmt, item: str, value: ast.expr) -> ast.stmt:
    bound = build.assign(item, value)
    bound.origin = build.source_of(stmt)  # type: ignore[attr-defined]
    bound.is_item = True  # type: ignore[attr-defined]
    return bound


def kept(fn: Function, end: ast.Attribute | ast.Subscript) -> ast.expr:
    """What is at the place."""
    read = build.as_load(end)
    known = alternatives(fn.value(end.value) or Const(None))
    parts = [element(o) for o in known if isinstance(o, Seq | Dict)]
    read.fact = functools.reduce(join, parts)  # type: ignore[attr-defined]
    return read
