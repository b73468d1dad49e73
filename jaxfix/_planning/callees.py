"""Calls of a function that a traced condition picks: `(f if c else g)(x)`."""

from __future__ import annotations

import ast

from jaxfix._analysis import build
from jaxfix._analysis.effects import obstacle
from jaxfix._analysis.facts import Function
from jaxfix._analysis.finding import CannotFix
from jaxfix._analysis.objects import is_callable
from jaxfix._analysis.values import Array, Union, alternatives

from .booleans import Spell, positive
from .choices import scalar_test


def picked_callee(fn: Function, node: ast.AST | None) -> ast.IfExp | None:
    """The choice between two functions that a call calls at once."""
    match node:
        case ast.Call(func=ast.IfExp() as choice) if fn.traced(choice.test):
            pass
        case _:
            return None
    sides = [fn.value(side) for side in (choice.body, choice.orelse)]
    known = [o for v in sides if v is not None for o in alternatives(v)]
    are_functions = None not in sides and all(is_callable(o) for o in known)
    return choice if are_functions else None


def chosen_call(fn: Function, spell: Spell, node: ast.Call) -> ast.expr:
    """`lax.cond(c, f, g, x)`.

    Raises:
      CannotFix: a function has effects, or the two give values of different types.
    """
    picked = picked_callee(fn, node)
    assert picked is not None, "a function is picked"
    if not all(
        isinstance(side, ast.Name | ast.Attribute | ast.Lambda)
        for side in (picked.body, picked.orelse)
    ):
        raise CannotFix("one of the functions is made where it is called")
    value = fn.value(node)
    if value is None or isinstance(value, Union):
        raise CannotFix("the two functions give values of different types")
    if (why := obstacle(fn, node)) is not None:
        raise CannotFix(why)
    test, first, second = picked.test, picked.body, picked.orelse
    if (plain := positive(fn, test)) is not None:
        test, first, second = plain, second, first
    arguments: list[ast.expr] = []
    if are_operands(fn, node):
        arguments = node.args
    else:
        first, second = called(first, node), called(second, node)
    return build.branching(
        spell("jax.lax.cond"),
        scalar_test(spell, test, fn.value(test)),
        first,
        second,
        *arguments,
    )


def are_operands(fn: Function, node: ast.Call) -> bool:
    """May `lax.cond` hand the arguments over? What is known while tracing stays so."""
    return not node.keywords and all(isinstance(fn.value(a), Array) for a in node.args)


def called(function: ast.expr, node: ast.Call) -> ast.expr:
    """A branch that makes the call with the same arguments."""
    return build.thunk(ast.Call(function, node.args, node.keywords))
