"""Tuples and lists that are compared: one element after the other, or as rows."""

from __future__ import annotations

import ast

from jaxfix._analysis import arrays, build
from jaxfix._analysis.facts import Function
from jaxfix._analysis.finding import CannotFix
from jaxfix._analysis.objects import InstanceValue
from jaxfix._analysis.special_methods import as_tuple
from jaxfix._analysis.values import Const, Seq, Value

# More entries than these are compared as the rows of one array.
FEW = 3


def known(fn: Function, node: ast.expr) -> Value | None:
    """What is known of an expression, one of `elements` included."""
    fact = getattr(node, "fact", None)
    return fact if isinstance(fact, Value) else fn.value(node)


def is_sequence(value: Value | None) -> bool:
    match value:
        case Seq():
            return True
        case Const(value=tuple() | list()):
            return True
        case _:
            return False


def is_compared_by_parts(fn: Function, node: ast.expr) -> bool:
    """A tuple, a list, or an instance that is compared as the tuple of its fields."""
    value = known(fn, node)
    return is_sequence(value) or (
        isinstance(value, InstanceValue) and as_tuple(value) is not None
    )


def elements(fn: Function, node: ast.expr) -> list[ast.expr]:
    """The elements of a tuple or list, as they are written or by their places.

    Raises:
      CannotFix: they cannot be told apart here.
    """
    written = node.elts if isinstance(node, ast.Tuple | ast.List) else None
    if written is not None and not any(isinstance(e, ast.Starred) for e in written):
        return list(written)
    items = arrays.items_of(known(fn, node))
    if items is None or not is_place(node):
        raise CannotFix("two sequences are compared whose elements have no names here")
    parts: list[ast.expr] = []
    for place, item in enumerate(items):
        part = ast.Subscript(node, build.const(place), ast.Load())
        part.fact = item  # type: ignore[attr-defined]
        parts.append(part)
    return parts


def is_place(node: ast.expr) -> bool:
    """May it be read once for each element? A name, or a place of one."""
    match node:
        case ast.Name():
            return True
        case (
            ast.Attribute(value=inner)
            | ast.Subscript(value=inner, slice=ast.Constant())
        ):
            return is_place(inner)
        case _:
            return False


def kind(fn: Function, node: ast.expr) -> str:
    match node, known(fn, node):
        case (ast.List(), _) | (_, Seq(kind="list") | Const(value=list())):
            return "list"
        case (ast.Tuple(), _) | (_, Seq(kind="tuple") | Const(value=tuple())):
            return "tuple"
        case _:
            return ""


def pairs(
    fn: Function, left: ast.expr, right: ast.expr
) -> list[tuple[ast.expr, ast.expr]]:
    """The elements of two sequences that are equal if and only if the elements are.

    Raises:
      CannotFix: they are of different lengths or kinds, or cannot be told apart.
    """
    if "" in (kinds := {kind(fn, left), kind(fn, right)}):
        raise CannotFix("two sequences are compared whose elements have no names here")
    if len(kinds) > 1:
        raise CannotFix("a tuple and a list are compared, which are never equal")
    ones, others = elements(fn, left), elements(fn, right)
    if len(ones) != len(others):
        raise CannotFix("two tuples of different lengths are compared")
    return list(zip(ones, others, strict=True))


def entries(fn: Function, left: ast.expr, right: ast.expr) -> list[ast.expr]:
    """The sequences among which a sequence is looked for.

    Raises:
      CannotFix: they are not of one length and kind with it.
    """
    found = right.elts if isinstance(right, ast.Set) else elements(fn, right)
    for entry in found:
        if not is_sequence(known(fn, entry)):
            raise CannotFix("a sequence is looked for among what is none")
        pairs(fn, left, entry)
    return list(found)


def are_rows(fn: Function, left: ast.expr, found: list[ast.expr]) -> bool:
    """Are all of the sequences made of numbers of one kind, as a row of an array is?"""
    wanted = {
        arrays.kind(known(fn, part)) for one in found for part in elements(fn, one)
    }
    given = {arrays.kind(known(fn, part)) for part in elements(fn, left)}
    return len(wanted) == 1 and "" not in wanted and len(given - {""}) <= 1
