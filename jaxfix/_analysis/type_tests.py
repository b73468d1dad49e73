"""Tests for Python numbers, which no tracer passes: `isinstance(n, int)`."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from .finding import Evidence
from .values import Array, Const, alternatives

if TYPE_CHECKING:
    from .facts import Function

ADVICE = "a tracer is no Python number: ask for its dtype, or make the argument static"


def refuted(fn: Function, test: ast.expr, *, outcome: bool) -> tuple[Evidence, ...]:
    """Why a test always has this outcome under a transform, if a tracer that is asked
    whether it is a Python number makes it so."""
    known = fn.value(test)
    if not isinstance(known, Const) or bool(known.value) is not outcome:
        return ()
    for node in ast.walk(test):
        match node:
            case ast.Call(args=[value, kinds]) if fn.library(node) == "isinstance":
                if _are_numbers(kinds) and (because := _is_tracer(fn, value)):
                    return because
    return ()


def _are_numbers(kinds: ast.expr) -> bool:
    parts = kinds.elts if isinstance(kinds, ast.Tuple) else [kinds]
    return all(
        isinstance(p, ast.Name) and p.id in ("int", "float", "complex") for p in parts
    )


def _is_tracer(fn: Function, node: ast.expr) -> tuple[Evidence, ...]:
    known = fn.value(node)
    options = alternatives(known) if known is not None else ()
    if not all(isinstance(o, Array) and o.traced and not o.tree for o in options):
        return ()
    return fn.traced(node)


__all__ = ["ADVICE", "refuted"]
