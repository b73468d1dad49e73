"""What a branch knows not to be zero, because its condition says so.

Behind `if b == 0: return 0.0` the quotient `a / b` is regular: at its singular point
the branch does not run.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

from jaxfix._analysis.effects import is_singular
from jaxfix._analysis.facts import Function
from jaxfix._analysis.scopes import names
from jaxfix._analysis.values import Const

# By the operator of `x OP number`: is x nonzero if that holds, and if it does not?
Rule = Callable[[float], bool]
_RULES: dict[type[ast.cmpop], tuple[Rule, Rule]] = {
    ast.Eq: (lambda n: n != 0, lambda n: n == 0),
    ast.NotEq: (lambda n: n == 0, lambda n: n != 0),
    ast.Gt: (lambda n: n >= 0, lambda n: n < 0),
    ast.GtE: (lambda n: n > 0, lambda n: n <= 0),
    ast.Lt: (lambda n: n <= 0, lambda n: n > 0),
    ast.LtE: (lambda n: n < 0, lambda n: n >= 0),
}
# Functions that are singular at zero and nowhere else (they are NaN below, or not).
AT_ZERO = frozenset(
    f"jax.numpy.{name}"
    for name in ("sqrt", "log", "log2", "log10", "cbrt", "reciprocal", "linalg.norm")
) | {"jax.lax.rsqrt", "jax.lax.sqrt", "jax.lax.log"}


def known_nonzero(fn: Function, test: ast.expr, holds: bool) -> frozenset[str]:
    """The texts of expressions that are not zero if the test has this outcome.

    A NaN passes for nonzero, too: it is no singular point.
    """
    return frozenset(_found(fn, test, holds))


def _found(fn: Function, test: ast.expr, holds: bool) -> Iterator[str]:
    match test:
        case ast.UnaryOp(op=ast.Not() | ast.Invert(), operand=operand):
            yield from _found(fn, operand, not holds)
        case ast.BoolOp(op=op, values=values) if isinstance(op, ast.And) is holds:
            for value in values:
                yield from _found(fn, value, holds)
        case ast.Compare(left=left, ops=[op], comparators=[right]):
            number = fn.value(right)
            rule = _RULES.get(type(op))
            if rule is None or not isinstance(number, Const):
                return
            if not isinstance(number.value, int | float):
                return
            if rule[not holds](number.value):
                yield ast.unparse(_inside_abs(fn, left))


def _inside_abs(fn: Function, node: ast.expr) -> ast.expr:
    """`x` of `abs(x)`."""
    is_abs = fn.library(node) in ("abs", "jax.numpy.abs")
    if is_abs and isinstance(node, ast.Call) and len(node.args) == 1:
        return node.args[0]
    return node


def is_singular_but(fn: Function, node: ast.AST, nonzero: frozenset[str]) -> bool:
    """Is it singular elsewhere than where one of `nonzero` is zero?"""
    if not is_singular(fn, node):
        return False
    if not nonzero:
        return True
    match node:
        case ast.BinOp(op=ast.Div(), left=left, right=right) if (
            ast.unparse(right) in nonzero
        ):
            parts: list[ast.AST] = [left, right]
        case ast.Call(args=[argument], keywords=[]) if (
            ast.unparse(argument) in nonzero and fn.library(node) in AT_ZERO
        ):
            parts = [argument]
        case _:
            parts = list(ast.iter_child_nodes(node))
            if not any(is_singular(fn, part) for part in parts):
                return True  # it is the node itself
    return any(is_singular_but(fn, part, nonzero) for part in parts)


def without(nonzero: frozenset[str], bound: set[str]) -> frozenset[str]:
    """What is still known when these names have been bound anew."""
    return frozenset(
        text
        for text in nonzero
        if not bound & set(names(ast.parse(text, mode="eval").body))
    )
