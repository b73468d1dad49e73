"""`xs.sort()` on a list of tracers: what an array sorts goes back into the list."""

from __future__ import annotations

import ast
from collections.abc import Callable

from jaxfix._analysis import arrays, build
from jaxfix._analysis.facts import Function
from jaxfix._analysis.finding import CannotFix
from jaxfix._analysis.values import Seq, element

from .comparing import Comparison, comparison
from .folds import array_of

Spell = Callable[[str], str]


def sorting(fn: Function, node: ast.AST | None) -> Comparison | None:
    """The call that is all of a statement, and that sorts a list by traced values."""
    if not isinstance(node, ast.Expr) or not isinstance(node.value, ast.Call):
        return None
    found = comparison(fn, node.value)
    return found if found is not None and found.name == "sort" else None


def sorted_again(fn: Function, one: Comparison, spell: Spell) -> ast.Assign:
    """`xs[:] = jnp.sort(jnp.array(xs))`: it stays the same list, under all its names.

    Raises:
      CannotFix: its elements are not known to be numbers, or the order is not known.
    """
    known = fn.value(one.items)
    if not isinstance(known, Seq) or not arrays.is_scalar(element(known)):
        raise CannotFix("the elements of the list are not known to be numbers")
    made: ast.expr = build.call(spell("jax.numpy.sort"), array_of(fn, one.items, spell))
    match one.node.keywords:
        case []:
            pass
        case [ast.keyword(arg="reverse", value=ast.Constant(value=bool() as reverse))]:
            if reverse:
                step = ast.Slice(None, None, build.const(-1))
                made = ast.Subscript(made, step, ast.Load())
        case _:
            raise CannotFix("whether the order is reversed is not known")
    whole = ast.Subscript(one.items, ast.Slice(None, None, None), ast.Store())
    return ast.Assign([whole], made)
