"""Truth values that a program computes with, as Python's numbers 0 and 1.

`True + True` is 2 in Python. Of arrays of bools it is the logical or, a difference is
an error, and `~` is the logical not.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from jaxfix._analysis import arrays
from jaxfix._analysis.definitions import definition, loads
from jaxfix._analysis.facts import Function
from jaxfix._analysis.finding import CannotFix

# What arrays of bools do as Python's bools do.
_ALIKE = (ast.BitAnd, ast.BitOr, ast.BitXor, ast.Div)


def is_number(fn: Function, node: ast.expr) -> bool:
    """Must the truth value of a cast be a number where it is used?

    Raises:
      CannotFix: it has a name, and is a truth value elsewhere.
    """
    uses = list(_uses(fn, node))
    if not any(_computes(fn, use, parent) for use, parent in uses):
        return False
    for use, parent in uses:
        if not isinstance(
            parent, ast.BinOp | ast.UnaryOp | ast.AugAssign | ast.Return | ast.Compare
        ) or _wants_truth(parent):
            text = ast.unparse(use)
            raise CannotFix(f"`{text}` is a number here, and a truth value elsewhere")
    return True


def _uses(fn: Function, node: ast.expr) -> Iterator[tuple[ast.expr, ast.AST]]:
    """The expressions that have the value, by whatever name, and what uses them."""
    parent = fn.module.parent(node)
    match parent:
        case ast.Assign(targets=[ast.Name(id=name)]):
            for use in loads(fn, name):
                found = definition(fn, use)
                if found is not None and found[0] is parent:
                    yield from _uses(fn, use)
        case ast.IfExp(test=test) if test is not node:
            yield from _uses(fn, parent)
        case ast.AST():
            yield node, parent


def _computes(fn: Function, node: ast.expr, parent: ast.AST) -> bool:
    """Is it arithmetic that gives something else for an array of bools?"""
    match parent:
        case ast.UnaryOp(op=ast.USub() | ast.UAdd() | ast.Invert()):
            return True
        case ast.BinOp(left=left, op=op, right=right):
            other = right if left is node else left
            return not isinstance(op, _ALIKE) and _is_bool(fn, other)
        case ast.AugAssign(target=target, op=op):
            return not isinstance(op, _ALIKE) and _is_bool(fn, target)
        case _:
            return False


def _is_bool(fn: Function, node: ast.expr) -> bool:
    known = (fn.value(node), fn.host_value(node), fn.linear_value(node))
    return any(arrays.kind(value) == "b" for value in known)


def _wants_truth(parent: ast.AST) -> bool:
    match parent:
        case ast.UnaryOp(op=ast.Not()):
            return True
        case ast.BinOp(op=ast.BitAnd() | ast.BitOr() | ast.BitXor()):
            return True
        case _:
            return False
