"""Texts that a program goes on with: that of a tracer names the tracer, no number."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from .definitions import loads
from .jax_api import IMPURE

if TYPE_CHECKING:
    from .facts import Function

WRITERS = frozenset(
    ["str", "repr", "ascii", "format", "bin", "hex", "oct", "chr"]
    + [f"numpy.{n}" for n in ("array_str", "array_repr", "array2string")]
    + [f"numpy.{n}" for n in ("base_repr", "binary_repr")]
)
# Methods that show or label what they are given, whatever they belong to.
_SHOWING = frozenset(
    ["debug", "info", "warning", "warn", "error", "exception", "critical", "log"]
    + ["write", "print", "named_scope", "annotate", "record", "add_scalar", "fail"]
)
_ASKED_FOR_TEXT = frozenset(["__repr__", "__str__", "__format__", "__fspath__"])


def written(fn: Function, node: ast.expr) -> tuple[ast.expr, ...]:
    """The values of which a call or an f-string makes a text that is used."""
    match node:
        case ast.Call(args=[first, *_]) if fn.library(node) in WRITERS:
            parts: tuple[ast.expr, ...] = (first,)
        case ast.JoinedStr(values=values):
            parts = tuple(v.value for v in values if isinstance(v, ast.FormattedValue))
        case _:
            return ()
    return () if _is_message(fn, node) else parts


def _is_message(fn: Function, node: ast.AST, depth: int = 3) -> bool:
    """Does the text only tell somebody something?"""
    if getattr(fn.node, "name", None) in _ASKED_FOR_TEXT:
        return True
    child = node
    for parent in fn.module.ancestors(node):
        match parent:
            case ast.Raise() | ast.Expr():
                return True
            case ast.Assert(msg=msg):
                return child is msg
            case ast.Call() if child is not parent.func and _shows(fn, parent):
                return True
            case ast.Assign(targets=[ast.Name(id=name)]) if depth:
                reads = [use for use in loads(fn, name) if use is not node]
                return all(_is_message(fn, use, depth - 1) for use in reads)
            case ast.stmt() | ast.Lambda():
                return False
        child = parent
    return False


def _shows(fn: Function, call: ast.Call) -> bool:
    name = fn.library(call) or ""
    if IMPURE.get(name) == "output" or name.endswith(("Error", "Warning", "Exception")):
        return True
    match call.func:
        case ast.Attribute(attr=attr):
            return attr in _SHOWING
        case ast.Name(id=text):
            return text.endswith(("Error", "Warning", "Exception"))
    return False
