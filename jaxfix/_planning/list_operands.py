"""Lists and tuples where an operation on arrays stands: NumPy takes them for arrays,
JAX does not."""

from __future__ import annotations

import ast

from jaxfix._analysis import arrays
from jaxfix._analysis.definitions import resolved
from jaxfix._analysis.facts import Function
from jaxfix._analysis.finding import Evidence
from jaxfix._analysis.indexing import At
from jaxfix._analysis.values import (
    Array,
    Const,
    Seq,
    Static,
    Value,
    alternatives,
    element,
)


def list_operands(fn: Function, node: ast.AST) -> list[ast.expr]:
    """The lists that meet a tracer in an operation, and must be arrays."""
    match node:
        case ast.Subscript(value=base, slice=index, ctx=ast.Load()):
            # In a tuple, as in `x[:, [0, 1]]`, lists are places in JAX too.
            is_refused = _is_index(fn.value(index)) and _of_array(fn, base)
            return [index] if is_refused else []
        case ast.BinOp(left=left, op=op, right=right):
            for one, other in ((left, right), (right, left)):
                if _meets(fn, one, op, other):
                    return [one]
        case ast.AugAssign(target=target, op=op, value=value):
            return [value] if _meets(fn, value, op, target) else []
        case ast.Compare(left=left, ops=[op], comparators=[right]):
            if isinstance(op, ast.Is | ast.IsNot | ast.In | ast.NotIn):
                return []
            for one, other in ((left, right), (right, left)):
                if _meets(fn, one, op, other):
                    return [one]
    return []


def reasons(fn: Function, node: ast.AST) -> tuple[Evidence, ...]:
    """Why what the lists meet is traced."""
    match node:
        case ast.Subscript(value=base):
            return _of_array(fn, base)
        case ast.BinOp(left=left, right=right):
            return arrays.forced(fn, left) or arrays.forced(fn, right)
        case ast.AugAssign(target=target):
            return arrays.forced(fn, target)
        case ast.Compare(left=left, comparators=[right]):
            return fn.traced(left) or fn.traced(right)
    return ()


def _of_array(fn: Function, base: ast.expr) -> tuple[Evidence, ...]:
    """Why something that is indexed with a list is traced: nothing but an array can
    be."""
    if isinstance(fn.value(base), At) and isinstance(base, ast.Attribute):
        base = base.value
    return arrays.forced(fn, base)


def _is_certain(fn: Function, node: ast.expr) -> bool:
    """Is it a tracer, whatever the caller gives, and no pytree?"""
    known = fn.value(node)
    options = alternatives(known) if known is not None else ()
    are_arrays = all(isinstance(o, Array) and not o.tree for o in options)
    return are_arrays and bool(fn.traced(node))


def _meets(
    fn: Function, one: ast.expr, op: ast.operator | ast.cmpop, other: ast.expr
) -> bool:
    """Is `one` a list of numbers, and `other` a tracer that meets its elements?"""
    if not _is_list(fn.value(one), ("list", "tuple")):
        return False
    if isinstance(op, ast.Add | ast.cmpop):
        # The same with a list joins the two, or compares them.
        return _is_certain(fn, other) and _is_no_list(fn, other)
    if isinstance(op, ast.Mult):
        # An integer repeats the list.
        known = fn.value(other)
        is_array = arrays.rank(known) not in (None, 0)
        return _is_certain(fn, other) and (is_array or arrays.kind(known) in ("f", "c"))
    return bool(arrays.forced(fn, other))


def _is_no_list(fn: Function, node: ast.expr) -> bool:
    """Is its rank known, or is it made by an operation on arrays?"""
    if arrays.rank(fn.value(node)) is not None:
        return True
    made = resolved(fn, node)
    if isinstance(made, ast.Call):
        return (fn.library(made) or "").startswith(("jax.", "numpy."))
    return isinstance(made, ast.BinOp | ast.UnaryOp) and not any(
        isinstance(n, ast.Call) and fn.library(n) is None for n in ast.walk(made)
    )


def _is_index(known: Value | None) -> bool:
    """A list of places. Lists of bools are masks: their results have no static size."""
    return _is_list(known, ("list",)) and not _holds_bools(known)


def _holds_bools(known: Value | None) -> bool:
    match known:
        case Const(value=bool()):
            return True
        case Const(value=list(parts)):
            return any(isinstance(part, bool) for part in parts)
        case Seq():
            return any(map(_holds_bools, _parts(known)))
        case _:
            return False


def _is_list(known: Value | None, kinds: tuple[str, ...]) -> bool:
    """Is it a list of numbers, or of lists of numbers, that is not empty?"""
    match known:
        case Const(value=list() | tuple() as parts):
            is_of_kind = type(parts).__name__ in kinds
            return is_of_kind and bool(parts) and all(map(_is_plain, parts))
        case Seq(kind=kind) if kind in kinds and known.items != ():
            return all(map(_is_number, _parts(known)))
        case _:
            return False


def _parts(known: Seq) -> list[Value]:
    parts = known.items if known.items is not None else (element(known),)
    return [option for part in parts for option in alternatives(part)]


def _is_plain(part: object) -> bool:
    if isinstance(part, list | tuple):
        return bool(part) and all(map(_is_plain, part))
    return isinstance(part, int | float | complex)


def _is_number(known: Value) -> bool:
    match known:
        case Const(value=int() | float() | complex()):
            return True
        case Array(tree=False) | Static(type="int" | "float" | "complex"):
            return True
        case _:
            return _is_list(known, ("list", "tuple"))


__all__ = ["list_operands", "reasons"]
