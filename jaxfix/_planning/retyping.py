"""Types of expressions where a name has another type than Python gives it.

A carry has one type in all rounds of a loop: what is an int in Python's first rounds
and a float later is a float from the start. Of `level - 1` the analysis has seen both.
"""

from __future__ import annotations

import ast

from jaxfix._analysis import operators
from jaxfix._analysis.facts import Function
from jaxfix._analysis.values import Array, Const, Value

from .agree import collapse
from .context import Types


def assigned_type(fn: Function, stmt: ast.stmt, types: Types) -> Value | None:
    """What arithmetic binds to a name, if the analysis has no one dtype for it.

    None if it has one, or if it stays open.
    """
    match stmt:
        case ast.Assign(targets=[ast.Name()], value=value):
            known = fn.value(value)
            found = retyped(fn, value, types) if _is_open(known) else None
        case ast.AugAssign(target=ast.Name(id=name), op=op, value=value):
            known = fn.value(stmt)
            if not _is_open(known) or name not in types:
                return None
            other = retyped(fn, value, types)
            if other is None:
                return None
            found = operators.binary(type(op), types[name], other, tracing=True)
        case _:
            return None
    return None if _is_open(found) else found


def retyped(fn: Function, node: ast.expr, types: Types) -> Value | None:
    """The value of arithmetic on names of these types."""
    match node:
        case ast.Name(id=name) if name in types:
            return types[name]
        case ast.BinOp(left=left, op=op, right=right):
            a, b = retyped(fn, left, types), retyped(fn, right, types)
            if a is None or b is None:
                return None
            return operators.binary(type(op), a, b, tracing=True)
        case ast.UnaryOp(op=ast.USub() | ast.UAdd() as sign, operand=operand):
            inner = retyped(fn, operand, types)
            if inner is None:
                return None
            return operators.unary(type(sign), inner, tracing=True)
        case ast.Constant(value=value):
            return Const(value)
        case _:
            return collapse(fn.value(node))


def _is_open(value: Value | None) -> bool:
    known = collapse(value)
    return not isinstance(known, Array) or known.dtype is None
