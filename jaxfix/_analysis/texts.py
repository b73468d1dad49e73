"""Texts that a program goes on with: that of a tracer names the tracer, no number."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from string import Formatter
from typing import TYPE_CHECKING

from .definitions import loads
from .jax_api import IMPURE
from .values import Const

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
_PERCENT = re.compile(r"%(?:\((\w+)\))?[-#0 +]*\d*(?:\.\d*)?[hlL]?([a-zA-Z%*])")
# Conversions of `%` that take anything, and those that ask for `int(x)`.
_OF_TEXT, _OF_INTEGERS = "sra", "diu"
_ASKED_FOR_TEXT = frozenset(["__repr__", "__str__", "__format__", "__fspath__"])


def written(fn: Function, node: ast.expr) -> tuple[ast.expr, ...]:
    """The values of which a call or an f-string makes a text that is used."""
    match node:
        case ast.Call(args=[first, *_]) if fn.library(node) in WRITERS:
            parts: tuple[ast.expr, ...] = (first,)
        case ast.Call(func=ast.Attribute(value=text, attr="format")):
            given = [*node.args, *(k.value for k in node.keywords)]
            parts = tuple(given) if _text_of(fn, text) else ()
        case ast.BinOp(left=left, op=ast.Mod(), right=right):
            given = right.elts if isinstance(right, ast.Tuple) else [right]
            parts = tuple(given) if _text_of(fn, left) else ()
        case ast.JoinedStr(values=values):
            parts = tuple(v.value for v in values if isinstance(v, ast.FormattedValue))
        case _:
            return ()
    return () if _is_message(fn, node) else parts


def numbers(fn: Function, node: ast.expr) -> tuple[ast.expr, ...]:
    """The values of which a format wants the number: `f"{x:.2f}"`, `"%d" % x`.

    A tracer has none, so that this raises whatever becomes of the text.
    """
    match node:
        case ast.JoinedStr(values=values):
            return tuple(
                v.value
                for v in values
                if isinstance(v, ast.FormattedValue)
                and v.conversion == -1
                and v.format_spec is not None
                and bool(getattr(v.format_spec, "values", ()))
            )
        case ast.Call(args=[value, spec]) if fn.library(node) == "format":
            return () if fn.value(spec) == Const("") else (value,)
        case ast.Call(func=ast.Attribute(value=text, attr="format")):
            return tuple(_fields(_text_of(fn, text), node))
        case ast.BinOp(left=left, op=ast.Mod(), right=right):
            return tuple(_converted(fn, _text_of(fn, left), right))
        case _:
            return ()


def _text_of(fn: Function, node: ast.expr) -> str:
    known = Const(node.value) if isinstance(node, ast.Constant) else fn.value(node)
    return known.value if isinstance(known, Const) and type(known.value) is str else ""


def _fields(text: str, call: ast.Call) -> Iterator[ast.expr]:
    """The arguments of `text.format(...)` that a field formats as numbers."""
    keywords = {k.arg: k.value for k in call.keywords}
    if None in keywords or any(isinstance(a, ast.Starred) for a in call.args):
        return
    try:
        parts = list(Formatter().parse(text))
    except ValueError:
        return
    fields = [part[1:] for part in parts if part[1] is not None]
    for place, (name, spec, conversion) in enumerate(fields):
        word = name or str(place)
        given = keywords.get(word)
        if word.isdigit() and int(word) < len(call.args):
            given = call.args[int(word)]
        if given is not None and spec and not conversion:
            yield given


def _converted(fn: Function, text: str, right: ast.expr) -> Iterator[ast.expr]:
    """The operands of `text % right` that it formats as numbers."""
    found = [m for m in _PERCENT.findall(text) if m[1] != "%"]
    if any(kind == "*" for _, kind in found):
        return
    operands = right.elts if isinstance(right, ast.Tuple) else [right]
    if any(name for name, _ in found):
        if not isinstance(right, ast.Dict):
            return
        keys = [k.value if isinstance(k, ast.Constant) else None for k in right.keys]
        named = dict(zip(keys, right.values, strict=True))
        operands = [named.get(name, ast.Constant(0)) for name, _ in found]
    for operand, (_, kind) in zip(operands, found, strict=False):
        if isinstance(operand, ast.Starred):
            return
        # Under `grad` alone a tracer has an `int`, but not under a compiler.
        if kind in _OF_INTEGERS and fn.value(operand) is None:
            continue
        if kind not in _OF_TEXT:
            yield operand


def is_unread(fn: Function, node: ast.expr) -> bool:
    """Is the text thrown away?"""
    match fn.module.parent(node):
        case ast.Expr():
            return True
        case ast.Assign(targets=[ast.Name(id=name)]):
            return not loads(fn, name)
        case _:
            return False


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
