"""Python's operators on abstract values."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Sequence
from typing import Any

from .elementwise import power_dtype
from .operands import INT32, dtype_of, is_unknown, resolved, shape_of, strengthened
from .shapes import matmul_shape
from .values import (
    BOOL,
    SCALAR,
    Array,
    Const,
    DType,
    Shape,
    Static,
    Unknown,
    Value,
    broadcast,
    holds_tracer,
    inexact,
    promote,
    replace,
    type_name,
)

_COMPUTE: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
    ast.BitAnd: operator.and_,
    ast.BitOr: operator.or_,
    ast.BitXor: operator.xor,
    ast.LShift: operator.lshift,
    ast.RShift: operator.rshift,
}
_COMPARE: dict[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}
_UNARY: dict[type[ast.unaryop], Callable[[Any], Any]] = {
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
    ast.Invert: operator.invert,
}
_BIT_OPERATORS = (ast.BitAnd, ast.BitOr, ast.BitXor)
LARGEST = 2**64  # of the numbers that are computed here
LONGEST = 64  # of the tuples and strings


def binary(
    op: type[ast.operator], left: Value, right: Value, *, tracing: bool
) -> Value:
    """`left op right` for one arithmetic operator."""
    left, right = resolved(left), resolved(right)
    if isinstance(left, Const) and isinstance(right, Const):
        return _compute(op, left.value, right.value)
    arrays = [v for v in (left, right) if isinstance(v, Array)]
    if not arrays:
        held = holds_tracer(left) or holds_tracer(right)
        return Unknown() if held is not None else _static_arithmetic(op, left, right)
    if op is ast.Mod and isinstance(left, Const) and isinstance(left.value, str):
        return Static("str")
    other = right if arrays[0] is left else left
    if (
        other == Const(None)
        or isinstance(other, Const)
        and isinstance(other.value, str)
    ):
        return Unknown()
    dims = broadcast(shape_of(left), shape_of(right))
    if op is ast.MatMult:
        dims = matmul_shape(shape_of(left), shape_of(right))
    result = _array_result(
        arrays, _binary_dtype(op, left, right), dims, tracing=tracing
    )
    bare = [a.tree and a.assumed for a in arrays]
    if op is ast.Add and all(bare) and (len(arrays) == 2 or is_unknown(other)):
        return replace(result, tree=True, assumed=True, dtype=None, shape=None)
    if is_unknown(other):
        return replace(result, assumed=all(a.assumed for a in arrays if a.traced))
    return result


def _array_result(
    arrays: Sequence[Array], dtype: DType | None, dims: Shape, *, tracing: bool
) -> Array:
    """What arithmetic on arrays gives: host arrays stay on the host."""
    found = next((a for a in arrays if a.traced and not a.assumed), None)
    found = found or next((a for a in arrays if a.traced), None)
    on_host = all(a.host for a in arrays)
    traced = found is not None or (tracing and not on_host)
    return Array(
        traced,
        strengthened(dtype) if on_host and not traced else dtype,
        dims,
        host=on_host and not traced,
        why=found.why if found is not None else None,
    )


def _binary_dtype(op: type[ast.operator], left: Value, right: Value) -> DType | None:
    if op is ast.Pow:
        return power_dtype(left, right)
    dtype = promote(dtype_of(left), dtype_of(right))
    if op is ast.Div:
        return inexact(dtype)
    if dtype == BOOL and op in (ast.FloorDiv, ast.Mod, ast.LShift, ast.RShift):
        return INT32
    return dtype


def _compute(op: type[ast.operator], left: Any, right: Any) -> Value:
    """Arithmetic of Python constants, as long as the result stays small."""
    kind = _static_kind(op, Const(left), Const(right))
    if op not in _COMPUTE or not (_is_small(left) and _is_small(right)):
        return Static(kind)
    if op in (ast.Pow, ast.LShift) and not _is_modest(right):
        return Static(kind)
    if op is ast.Mult and not (_is_number(left) and _is_number(right)):
        count = left if isinstance(left, int) else right
        if not isinstance(count, int) or count > LONGEST:
            return Static(kind)
    try:
        value = _COMPUTE[op](left, right)
    except (ArithmeticError, TypeError, ValueError):
        return Unknown()
    return Const(value) if _is_small(value) else Static(kind)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float | complex)


def _is_modest(value: Any) -> bool:
    return _is_number(value) and abs(value) <= LONGEST


def _is_small(value: Any) -> bool:
    match value:
        case int():
            return abs(value) <= LARGEST
        case float() | complex() | None:
            return True
        case str() | bytes() | tuple():
            return len(value) <= LONGEST
        case _:
            return False


def _static_arithmetic(op: type[ast.operator], left: Value, right: Value) -> Value:
    if is_unknown(left) or is_unknown(right):
        return Unknown()
    return Static(_static_kind(op, left, right))


def _static_kind(op: type[ast.operator], left: Value, right: Value) -> str:
    """The type of an operation on Python values, `""` if it is not certain."""
    kinds = {type_name(left), type_name(right)}
    if kinds == {"str"} or (op is ast.Mod and type_name(left) == "str"):
        return "str"
    if "shape" in kinds or "tuple" in kinds:
        return "shape" if "shape" in kinds else "tuple"
    if not kinds <= {"int", "float", "bool"}:
        return ""
    if op is ast.Div:
        return "float"
    if op is ast.Pow and "float" not in kinds:
        natural = isinstance(right, Const) and right.value >= 0
        return "int" if natural else ""
    if op is ast.Pow:
        is_natural = isinstance(left, Const) and left.value >= 0
        return "float" if is_natural or type_name(right) != "float" else ""
    if kinds == {"bool"} and op in _BIT_OPERATORS:
        return "bool"
    return "float" if "float" in kinds else "int"


def unary(op: type[ast.unaryop], operand: Value, *, tracing: bool) -> Value:
    """`-x`, `+x`, `~x`, `not x`."""
    operand = resolved(operand)
    if isinstance(operand, Array):
        if op is ast.Not:
            if not operand.traced:
                return Static("bool")
            return _array_result([operand], BOOL, operand.shape, tracing=tracing)
        return _array_result([operand], operand.dtype, operand.shape, tracing=tracing)
    if op is ast.Not:
        if isinstance(operand, Const):
            return Const(not operand.value)
        return Unknown() if holds_tracer(operand) else Static("bool")
    if isinstance(operand, Const):
        try:
            return Const(_UNARY[op](operand.value))
        except TypeError:
            return Unknown()
    if isinstance(operand, Static):
        return Static("int" if operand.type == "bool" else operand.type)
    return Unknown()


def compare(
    op: type[ast.cmpop], left: Value, right: Value, *, tracing: bool = False
) -> Value:
    """`left op right` for one comparison operator."""
    left, right = resolved(left), resolved(right)
    if op in (ast.Is, ast.IsNot):
        return Static("bool")
    if op in (ast.In, ast.NotIn):
        found = holds_tracer(left) or holds_tracer(right)
        if found is None:
            return Static("bool")
        return _array_result([found], BOOL, SCALAR, tracing=tracing)
    if isinstance(left, Const) and isinstance(right, Const):
        try:
            return Const(bool(_COMPARE[op](left.value, right.value)))
        except TypeError:
            return Unknown()
    arrays = [v for v in (left, right) if isinstance(v, Array)]
    if not arrays:
        held = holds_tracer(left) or holds_tracer(right)
        uncertain = held is not None or (is_unknown(left) and is_unknown(right))
        return Unknown() if uncertain else Static("bool")
    for value in (left, right):
        if isinstance(value, Const) and isinstance(value.value, str | None):
            return Static("bool")
    dims = broadcast(shape_of(left), shape_of(right))
    return _array_result(arrays, BOOL, dims, tracing=tracing)
