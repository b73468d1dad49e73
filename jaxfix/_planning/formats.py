"""Formats that want the number of a traced value, and what is to be done instead."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from jaxfix._analysis import arrays, declarations, texts
from jaxfix._analysis.facts import Function
from jaxfix._analysis.finding import Evidence

from .impure import impurity

_PRINTING = ("print", "jax.debug.print")
_TELL = "print it with `jax.debug.print`"


@dataclass(frozen=True, slots=True)
class Formatted:
    """`value` is traced, and a format asks for its number."""

    value: ast.expr
    because: tuple[Evidence, ...]


def formatted(fn: Function, node: ast.expr) -> Formatted | None:
    """The first traced value of which a text wants the number.

    None where the text is part of something else that is wrong: of a `print`, of a
    logger's call, or of an error, which ends the program anyway.
    """
    for value in texts.numbers(fn, node):
        because = arrays.forced(fn, value)
        if because and not _is_told(fn, node) and not _becomes_static(fn, node, value):
            return Formatted(value, because)
    return None


def advice(fn: Function, node: ast.expr) -> str:
    """Why there is no fix: where the text goes is a decision."""
    if texts.is_unread(fn, node):
        return f"nothing reads the text: drop it, or {_TELL}"
    return f"{_TELL}, or make the text outside of the compiled function"


def _is_told(fn: Function, node: ast.expr) -> bool:
    for outer in fn.module.ancestors(node):
        match outer:
            case ast.Raise() | ast.Assert():
                return True
            case ast.Call() if fn.library(outer) in _PRINTING or impurity(fn, outer):
                return True
            case ast.stmt() | ast.Lambda():
                return False
    return False


def _becomes_static(fn: Function, node: ast.expr, value: ast.expr) -> bool:
    """Does something else need the argument that it is to be static?"""
    if texts.written(fn, node):
        return False
    start = declarations.unknown(fn, value)
    return start is not None and bool(start.parameters) and start.key <= fn.facts.needed
