"""Conditions that are known in part: `clip is not None and y > clip`.

Python looks at the right side, and at the branch, only if the left side allows it. An
operation on arrays looks at both branches, so that the known part must stay outside.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from jaxfix._analysis import build
from jaxfix._analysis.call_sites import given_arguments
from jaxfix._analysis.facts import Function
from jaxfix._analysis.finding import CannotFix
from jaxfix._analysis.flow import definitely_writes, exits
from jaxfix._analysis.frame import join_all
from jaxfix._analysis.objects import FunctionValue
from jaxfix._analysis.scopes import parameter_names, reads, scope_body, writes
from jaxfix._analysis.values import Const, Union, Value, alternatives

from .context import Types

# A value, or a branch, that is longer is not written twice.
_SHORT = 6
_BRIEF = 24
_PLAIN = (
    ast.Assign,
    ast.AugAssign,
    ast.Break,
    ast.Continue,
    ast.If,
    ast.Pass,
    ast.Return,
)


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
    # Where the others stand before it makes no difference: each can be evaluated.
    later = [v for v in values if not_none(v, holds=True) or not_none(v, holds=False)]
    known += (later := [v for v in later if fn.static(v)])
    values = [v for v in values if v not in later]
    if not known or not values:
        return None
    is_and = isinstance(test.op, ast.And)
    return Guarded(joined(test.op, known), joined(test.op, values), is_and)


def joined(op: ast.boolop, values: list[ast.expr]) -> ast.expr:
    return values[0] if len(values) == 1 else ast.BoolOp(op, values)


def nested(
    fn: Function, node: ast.If, rest: Sequence[ast.stmt]
) -> tuple[Guarded, list[ast.stmt]] | None:
    """The condition of an `if` that must become two, one in the other.

    Args:
      fn: the function that it stands in.
      node: the statement.
      rest: the statements after it.

    Returns:
      The two conditions, and the branch that both of them lead to.

    Raises:
      CannotFix: they must, and the shared branch is too long to be written twice.
    """
    parts = guarded(fn, node.test)
    if parts is None:
        return None
    falls = not exits([node]) - {"fall"}
    body = _with_rest(node.body, [] if falls else rest)
    orelse = _with_rest(node.orelse, [] if falls else rest)
    inner, other = (body, orelse) if parts.is_and else (orelse, body)
    needed = parts.protects(inner) or _keeps(parts.known, inner, other)
    shared = node.orelse if parts.is_and else node.body
    if is_brief(shared):
        takes = needed or (parts.is_and and falls and not shared)
        return (parts, shared) if takes else None
    if needed and not parts.is_comparison:
        raise CannotFix(
            f"`{ast.unparse(parts.known)}` is known while tracing and protects a "
            "branch; write the two conditions one in the other"
        )
    return None


def _with_rest(branch: Sequence[ast.stmt], rest: Sequence[ast.stmt]) -> list[ast.stmt]:
    return [*branch, *(rest if "fall" in exits(branch) else [])]


def _keeps(
    known: ast.expr, inner: Sequence[ast.stmt], other: Sequence[ast.stmt]
) -> bool:
    """Does a branch leave a name as it is that the known condition speaks of?

    In `if best is None or x > best: best = x` it is None before the first value.
    """
    changed = set(writes(other)) - set(definitely_writes(inner))
    return bool(set(reads(known)) & changed)


def is_brief(branch: Sequence[ast.stmt]) -> bool:
    """May a branch be written twice? A few short statements may."""
    nodes = [node for stmt in branch for node in ast.walk(stmt)]
    stmts = (node for node in nodes if isinstance(node, ast.stmt))
    return len(nodes) <= _BRIEF and all(isinstance(s, _PLAIN) for s in stmts)


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


def not_none(test: ast.expr, *, holds: bool) -> list[str]:
    """The names that are not None where a condition holds, or where it does not."""
    match test:
        case ast.Compare(
            left=ast.Name(id=name), ops=[op], comparators=[ast.Constant(value=None)]
        ):
            return [name] if isinstance(op, ast.IsNot if holds else ast.Is) else []
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return not_none(operand, holds=not holds)
        case ast.BoolOp(op=op, values=values) if isinstance(op, ast.And) is holds:
            return [name for value in values for name in not_none(value, holds=holds)]
        case _:
            return []


def none_used(fn: Function, block: Sequence[ast.AST], types: Types) -> str:
    """A variable that may be None, with which a branch computes; empty if none may.

    Python does not run the branch then. JAX traces both, whatever the condition is.
    """
    return next(_used_as_arrays(fn, block, types), "")


def _used_as_arrays(
    fn: Function, block: Sequence[ast.AST], types: Types, depth: int = 2
) -> Iterator[str]:
    """The variables that may be None and are operands, in project functions as well."""
    for node in (n for stmt in block for n in ast.walk(stmt)):
        parts = _operands(fn, node)
        if isinstance(node, ast.Call) and depth:
            parts = [*parts, *_given_operands(fn, node, depth - 1)]
        for part in parts:
            if isinstance(part, ast.Name) and _may_be_none(fn, part, types):
                yield part.id


def _may_be_none(fn: Function, name: ast.Name, types: Types) -> bool:
    known = fn.value(name)
    if known is None:
        return False
    held = types.get(name.id, known)
    return all(Const(None) in alternatives(value) for value in (known, held))


def _given_operands(fn: Function, call: ast.Call, depth: int) -> Iterator[ast.expr]:
    """The arguments that a function of the project computes with."""
    for callee in fn.callees(call):
        if not isinstance(callee, FunctionValue):
            continue
        inner = fn.facts.function(callee.node)
        if inner is None:
            continue
        body = scope_body(callee.node)
        used = set(_used_as_arrays(inner, body, {}, depth))
        for name in used.intersection(parameter_names(callee.node)):
            for site, given in given_arguments(fn.facts, callee.node, name):
                if site.node is call:
                    yield given


_ARRAYS_FIRST = ("jax.numpy.", "jax.random.", "jax.nn.", "jax.scipy.")


def _operands(fn: Function, node: ast.AST) -> list[ast.expr]:
    """The operands of an operation that are never None."""
    match node:
        case ast.BinOp(left=left, right=right):
            return [left, right]
        case ast.UnaryOp(op=ast.USub() | ast.Invert(), operand=operand):
            return [operand]
        case ast.AugAssign(target=left, value=right):
            return [left, right]
        case ast.Subscript(value=base) | ast.Attribute(value=base):
            return [base]
        case ast.Call(args=[first, *_]) if (fn.library(node) or "").startswith(
            _ARRAYS_FIRST
        ):
            return [first]
        case _:
            return []
