"""Where the value of a local name comes from, in straight-line terms."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from .python_calls import loop_tracer
from .scopes import root_name, walk_scope, writes
from .values import Const

if TYPE_CHECKING:
    from .facts import Function

_LOOPS = (ast.For, ast.AsyncFor, ast.While)


def statement_of(fn: Function, node: ast.AST) -> ast.stmt | None:
    """The innermost statement that the node stands in (or is)."""
    if isinstance(node, ast.stmt):
        return node
    for outer in fn.module.ancestors(node):
        if isinstance(outer, ast.stmt):
            return outer
    return None


def block_of(fn: Function, stmt: ast.stmt) -> list[ast.stmt]:
    """The list of statements that holds `stmt`."""
    parent = fn.module.parent(stmt)
    for field in ("body", "orelse", "finalbody"):
        block = getattr(parent, field, None)
        if isinstance(block, list) and any(one is stmt for one in block):
            return block
    return []


def enclosing(fn: Function, stmt: ast.stmt) -> Iterator[ast.stmt]:
    """The compound statements of the function around `stmt`, innermost first."""
    for outer in fn.module.ancestors(stmt):
        if outer is fn.node or isinstance(outer, ast.Lambda):
            return
        if isinstance(outer, ast.stmt):
            yield outer


def definition(fn: Function, name: ast.Name) -> tuple[ast.stmt, ast.expr] | None:
    """The one assignment that gave a local name its value where it is read.

    None if there is none, or if it depends on the way that was taken.
    """
    stmt = statement_of(fn, name)
    if stmt is None or in_closure(fn, name):
        return None
    if isinstance(stmt, _LOOPS) and name.id in writes([*stmt.body, *stmt.orelse]):
        return None
    while True:
        for before in reversed(_before(fn, stmt)):
            value = _bound_by(before, name.id)
            if value is not None:
                return before, value
            if changes(before, name.id):
                return None
        parent = fn.module.parent(stmt)
        if not isinstance(parent, ast.stmt) or parent is fn.node:
            return None
        if isinstance(parent, ast.Try | ast.FunctionDef | ast.ClassDef):
            return None
        if isinstance(parent, _LOOPS) and changes(parent, name.id):
            return None
        stmt = parent


def _before(fn: Function, stmt: ast.stmt) -> list[ast.stmt]:
    block = block_of(fn, stmt)
    for index, one in enumerate(block):
        if one is stmt:
            return block[:index]
    return []


def in_closure(fn: Function, node: ast.AST) -> bool:
    """Is the node in a lambda, a comprehension or a nested function of `fn`?"""
    kinds = (
        ast.Lambda,
        ast.FunctionDef,
        ast.AsyncFunctionDef,
        ast.ListComp,
        ast.SetComp,
        ast.DictComp,
        ast.GeneratorExp,
    )
    for outer in fn.module.ancestors(node):
        if outer is fn.node:
            return False
        if isinstance(outer, kinds):
            return True
    return False


def _bound_by(stmt: ast.stmt, name: str) -> ast.expr | None:
    match stmt:
        case ast.Assign(targets=[ast.Name(id=target)], value=value) if target == name:
            return value
        case ast.AnnAssign(target=ast.Name(id=target), value=ast.expr() as value):
            return value if target == name else None
        case ast.Assign(targets=[ast.Tuple(elts=left)], value=ast.Tuple(elts=right)):
            if len(left) == len(right):
                for one, value in zip(left, right, strict=True):
                    if isinstance(one, ast.Name) and one.id == name:
                        return value
    return None


def changes(code: ast.AST, name: str) -> bool:
    """Does the code bind the name, or store into the object behind it?"""
    if name in writes(code):
        return True
    for node in walk_scope(code):
        if (
            isinstance(node, ast.Subscript | ast.Attribute)
            and isinstance(node.ctx, ast.Store)
            and root_name(node) == name
        ):
            return True
    return False


def bindings(fn: Function, name: str) -> list[ast.Name]:
    """The places in the function that bind the name, closures not included."""
    return [
        node
        for node in fn.walk()
        if isinstance(node, ast.Name)
        and node.id == name
        and isinstance(node.ctx, ast.Store | ast.Del)
    ]


def loads(fn: Function, name: str) -> list[ast.Name]:
    """The places that read the name, in nested functions too."""
    return fn.loaded.get(name, [])


def unchanged(fn: Function, expr: ast.AST, start: ast.stmt, end: ast.AST) -> bool:
    """Has `expr` the same value at `end` as at `start`, which comes before it?

    Names only; whatever else it reads must not change by itself.
    """
    names = {n.id for n in ast.walk(expr) if isinstance(n, ast.Name)}
    first, last = _place(start), _place(end)
    for node in fn.stored:
        if not first < _place(node) < last:
            continue
        match node:
            case ast.Name(id=name) if name in names:
                if not any(node is inner for inner in ast.walk(start)):
                    return False
            case ast.Subscript(ctx=ast.Store()) | ast.Attribute(ctx=ast.Store()):
                if root_name(node) in names:
                    return False
    return True


def _place(node: ast.AST) -> tuple[int, int]:
    return getattr(node, "lineno", 0), getattr(node, "col_offset", 0)


def resolved(fn: Function, node: ast.expr, depth: int = 4) -> ast.expr:
    """The expression that a local name stands for, where it still has that value."""
    if depth and isinstance(node, ast.Name):
        found = definition(fn, node)
        if found is not None and unchanged(fn, found[1], found[0], node):
            return resolved(fn, found[1], depth - 1)
    return node


def same(a: ast.AST, b: ast.AST) -> bool:
    """Are two expressions spelled alike?"""
    return ast.dump(a) == ast.dump(b)


def in_traced_region(fn: Function, node: ast.AST) -> bool:
    """Is the node inside a branch or loop of the function that will be rewritten?"""
    stmt = statement_of(fn, node)
    around = (stmt, *enclosing(fn, stmt)) if stmt is not None else ()
    return any(is_traced_region(fn, outer) for outer in around)


def is_traced_region(fn: Function, stmt: ast.AST) -> bool:
    match stmt:
        case ast.If(test=test) | ast.While(test=test):
            return bool(fn.traced(test))
        case ast.For(iter=source):
            value = fn.value(source)
            return value is not None and loop_tracer(value) is not None
        case _:
            return False


def may_be_operand(fn: Function, name: ast.Name) -> bool:
    """May a static name be a tracer once the branches and loops around are rewritten?

    What such a region rebinds is an operand of it, or a carry.
    """
    stmt = statement_of(fn, name)
    around = enclosing(fn, stmt) if stmt is not None else ()
    return any(
        is_traced_region(fn, outer) and name.id in writes([outer]) for outer in around
    )


def as_slice(fn: Function, part: ast.expr) -> ast.expr:
    """The index `slice(a, b)`, itself or by a name, as `a:b`."""
    match resolved(fn, part):
        case ast.Call(args=args, keywords=[]) as call if fn.library(call) == "slice":
            if any(isinstance(a, ast.Starred) for a in args):
                return part
            bounds = [None if fn.value(a) == Const(None) else a for a in args]
            return ast.Slice(*([None, *bounds] if len(bounds) == 1 else bounds))
        case _:
            return part


def traced_slice(fn: Function, part: ast.expr) -> ast.expr:
    """`as_slice` of what JAX cannot take as it is; any other index as it is written."""
    found = as_slice(fn, part)
    match found:
        case ast.Slice(lower=lower, upper=upper, step=step) if any(
            bound is not None and fn.traced(bound) for bound in (lower, upper, step)
        ):
            return found
        case _:
            return part
