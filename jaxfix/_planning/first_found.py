"""`next((x for x in xs if test), default)`: the first element that passes a test."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass

from jaxfix._analysis import arrays, build
from jaxfix._analysis.arguments import as_array
from jaxfix._analysis.effects import cost, obstacle
from jaxfix._analysis.facts import Function
from jaxfix._analysis.finding import CannotFix

from .booleans import is_bool
from .folds import elementwise_source

Spell = Callable[[str], str]


@dataclass(frozen=True, slots=True)
class First:
    """The parts of such a call.

    `source` is the array; `item` names an element of it, and `index` its place, which
    `enumerate` counts from `start`.
    """

    call: ast.Call
    test: ast.expr
    element: ast.expr
    source: ast.expr
    item: str
    index: str | None
    start: ast.expr | None
    default: ast.expr


def is_asked(fn: Function, node: ast.expr) -> bool:
    """Is a comprehension there for its first element, with something in its place?"""
    call = fn.module.parent(node)
    return (
        isinstance(node, ast.GeneratorExp)
        and isinstance(call, ast.Call)
        and len(call.args) == 2
        and arrays.library(fn, call) == "next"
    )


def first_found(fn: Function, node: ast.expr) -> First:
    """How all places can be asked at once.

    Raises:
      CannotFix: they cannot, or what is found is no number.
    """
    call = fn.module.parent(node)
    assert isinstance(call, ast.Call), "it was found in a call"
    assert isinstance(node, ast.GeneratorExp), "next takes no list"
    if len(node.generators) != 1 or len(node.generators[0].ifs) != 1:
        raise CannotFix("there are several loops or tests in it")
    (generator,) = node.generators
    (test,) = generator.ifs
    target, values, index, start = _counted(fn, generator)
    one = First(call, test, node.elt, values, target.id, index, start, call.args[1])
    if index is not None and _reads(test, index):
        raise CannotFix("the test reads the place of the element")
    whole = ast.GeneratorExp(test, [ast.comprehension(target, values, [], 0)])
    if elementwise_source(fn, whole) is None or not is_bool(fn.value(test)):
        raise CannotFix("the test cannot be asked of a whole array")
    if (why := obstacle(fn, node.elt) or obstacle(fn, one.default)) is not None:
        raise CannotFix(f"the element and the default would be computed, but {why}")
    if not cost(fn, node.elt).total:
        raise CannotFix("the element may not be defined where the test fails")
    for part in (node.elt, one.default):
        known = fn.value(part)
        if known is None or as_array(known) is None:
            raise CannotFix(f"`{ast.unparse(part)}` is not known to be a number")
    return one


def _counted(
    fn: Function, generator: ast.comprehension
) -> tuple[ast.Name, ast.expr, str | None, ast.expr | None]:
    """The target, the array, and what `enumerate` counts."""
    match generator.target, generator.iter:
        case ast.Tuple(elts=[ast.Name(id=index), ast.Name() as item]), ast.Call(
            args=[values, *more], keywords=keywords
        ) if arrays.library(fn, generator.iter) == "enumerate":
            starts = [*more, *(k.value for k in keywords)]
            return item, values, index, starts[0] if starts else None
        case ast.Name() as item, values:
            return item, values, None, None
        case _:
            raise CannotFix("what it runs over is not known to be an array")


def _reads(node: ast.expr, name: str) -> bool:
    return any(isinstance(n, ast.Name) and n.id == name for n in ast.walk(node))


def place(one: First, spell: Spell) -> ast.expr:
    """The index of the first element that passes."""
    return build.call(spell("jax.numpy.argmax"), one.test)


def replacements(one: First, spell: Spell) -> list[tuple[ast.Name, ast.expr]]:
    """The reads of the loop's variables, with what stands for them."""
    found: list[tuple[ast.Name, ast.expr]] = []
    for node in ast.walk(one.test):
        if isinstance(node, ast.Name) and node.id == one.item:
            found.append((node, one.source))
    for node in ast.walk(one.element):
        if isinstance(node, ast.Name) and node.id == one.item:
            item = ast.Subscript(one.source, place(one, spell), ast.Load())
            found.append((node, item))
        elif isinstance(node, ast.Name) and node.id == one.index:
            count = place(one, spell)
            if one.start is not None:
                count = ast.BinOp(count, ast.Add(), one.start)
            found.append((node, count))
    return found


def chosen(one: First, spell: Spell) -> ast.expr:
    """The element at that place, or the default if none passes."""
    some = build.call(spell("jax.numpy.any"), one.test)
    return build.call(spell("jax.numpy.where"), some, one.element, one.default)
