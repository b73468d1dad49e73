"""Types of expressions where a name has another type than Python gives it.

A carry has one type in all rounds of a loop: what is an int in Python's first rounds
and a float later is a float from the start. Of `level - 1` the analysis has seen both.
"""

from __future__ import annotations

import ast

from jaxfix._analysis import operators
from jaxfix._analysis.arguments import as_array, merge
from jaxfix._analysis.facts import Function
from jaxfix._analysis.values import SCALAR, Array, Const, Unknown, Value

from .agree import collapse
from .context import Types


def assigned_type(fn: Function, stmt: ast.stmt, types: Types) -> Value | None:
    """What arithmetic binds to a name, if the analysis has no one dtype for it.

    None if it has one, or if it stays open.
    """
    match stmt:
        case ast.Assign(targets=[ast.Name()], value=value):
            known = fn.value(value)
            found = retyped(fn, value, types) if is_open(known) else None
        case ast.AugAssign(target=ast.Name(id=name), op=op, value=value):
            known = fn.value(stmt)
            if not is_open(known) or name not in types:
                return None
            other = retyped(fn, value, types)
            if other is None:
                return None
            found = operators.binary(type(op), types[name], other, tracing=True)
        case _:
            return None
    return None if is_open(found) else found


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


def settled_type(
    fn: Function, loop: ast.AST, name: str, start: Value | None
) -> Array | None:
    """The type that a number has in all rounds of a loop, if arithmetic alone says so.

    `start` is what it is before the loop. In `n += 1` and elsewhere `n -= 0.5` it is
    a float from the start.
    """
    nodes = list(ast.walk(loop))
    counted = {id(n.target) for n in nodes if isinstance(n, ast.AugAssign)}
    counted |= {id(t) for n in nodes if isinstance(n, ast.Assign) for t in n.targets}
    stored = [n for n in nodes if isinstance(n, ast.Name) and n.id == name]
    if any(isinstance(n.ctx, ast.Store) and id(n) not in counted for n in stored):
        return None
    found = as_array(start) if start is not None else None
    for _ in range(_ROUNDS):
        before = found
        for node in nodes:
            if found is None:
                return None
            if (step := _stored(fn, node, name, found)) is not None:
                number = as_array(step)
                is_known = number is not None and number.dtype is not None
                found = merge(found, step) if is_known else None
        if found is not None and before is not None and found.dtype == before.dtype:
            return found if found.shape == SCALAR else None
    return None


# Bool, int, float and complex follow each other; one more round shows that it stays.
_ROUNDS = 4


def _stored(fn: Function, node: ast.AST, name: str, now: Array) -> Value | None:
    """What a statement binds a name to, which is `now` before; None of others."""
    match node:
        case ast.Assign(targets=targets, value=value) if any(
            isinstance(t, ast.Name) and t.id == name for t in targets
        ):
            return retyped(fn, value, {name: now}) or Unknown()
        case ast.AugAssign(target=ast.Name(id=found), op=op, value=value) if (
            found == name
        ):
            other = retyped(fn, value, {name: now})
            if other is None:
                return Unknown()
            return operators.binary(type(op), now, other, tracing=True)
        case _:
            return None


def is_open(value: Value | None) -> bool:
    """Is it no array, or one of which the dtype is not known?"""
    known = collapse(value)
    return not isinstance(known, Array) or known.dtype is None
