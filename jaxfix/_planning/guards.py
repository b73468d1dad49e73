"""Conditions that are known in part: `clip is not None and y > clip`.

Python looks at the right side, and at the branch, only if the left side allows it. An
operation on arrays looks at both branches, so that the known part must stay outside.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass

from jaxfix._analysis import build
from jaxfix._analysis.facts import Function
from jaxfix._analysis.finding import CannotFix
from jaxfix._analysis.frame import join_all
from jaxfix._analysis.scopes import reads
from jaxfix._analysis.values import Const, Union, Value

# A value that is longer is not written twice.
_SHORT = 6


@dataclass(frozen=True, slots=True)
class Guarded:
    """`known and traced`, or with `or`: `known` decides while tracing."""

    known: ast.expr
    traced: ast.expr
    is_and: bool

    def protects(self, part: ast.expr | Sequence[ast.stmt]) -> bool:
        """May `part` depend on what the known condition says of its names?"""
        return bool(set(reads(self.known)) & set(reads(part)))

    @property
    def is_comparison(self) -> bool:
        """Is the known part a comparison of numbers, which no operation relies on?"""
        orders = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)
        return isinstance(self.known, ast.Compare) and all(
            isinstance(op, orders) for op in self.known.ops
        )


def guarded(fn: Function, test: ast.expr) -> Guarded | None:
    """The parts of an original condition whose first operands are static."""
    if not isinstance(test, ast.BoolOp) or build.is_new(test):
        return None
    values = list(test.values)
    known: list[ast.expr] = []
    while values and fn.static(values[0]):
        known.append(values.pop(0))
    if not known or not values:
        return None
    is_and = isinstance(test.op, ast.And)
    return Guarded(joined(test.op, known), joined(test.op, values), is_and)


def joined(op: ast.boolop, values: list[ast.expr]) -> ast.expr:
    return values[0] if len(values) == 1 else ast.BoolOp(op, values)


def nested(fn: Function, node: ast.If, *, short: bool, falls: bool) -> Guarded | None:
    """The condition of an `if` that must become two, one in the other.

    Args:
      fn: the function that it stands in.
      node: the statement.
      short: whether the branch that both conditions share can be written twice.
      falls: whether both branches end by falling through.

    Raises:
      CannotFix: they must, and the shared branch is too long to be written twice.
    """
    parts = guarded(fn, node.test)
    if parts is None:
        return None
    needed = parts.protects(node.body if parts.is_and else node.orelse)
    if short:
        return parts if needed or (parts.is_and and falls) else None
    if needed and not parts.is_comparison:
        raise CannotFix(
            f"`{ast.unparse(parts.known)}` is known while tracing and protects a "
            "branch; write the two conditions one in the other"
        )
    return None


def choice(fn: Function, test: ast.expr, a: ast.expr, b: ast.expr) -> Guarded | None:
    """The same for `a if test else b`.

    Raises:
      CannotFix: the value that would have to be written twice is long.
    """
    parts = guarded(fn, test)
    if parts is None or not parts.protects(a if parts.is_and else b):
        return None
    shared = b if parts.is_and else a
    if sum(1 for _ in ast.walk(shared)) > _SHORT:
        if parts.is_comparison:
            return None
        raise CannotFix(
            f"`{ast.unparse(parts.known)}` is known while tracing and protects a "
            "value; write the two conditions one in the other"
        )
    return parts


def without_none(value: Value | None) -> Value | None:
    """A value where a known condition has seen to it that it is not None."""
    if not isinstance(value, Union):
        return value
    return join_all([o for o in value.options if o != Const(None)])
