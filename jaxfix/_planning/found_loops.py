"""Loops over the places where a mask holds.

`for i in jnp.where(mask)[0]` has as many rounds as the data say; a loop over all
places, with the test in it, does the same.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass

from jaxfix._analysis import arrays, build
from jaxfix._analysis.definitions import bindings, loads
from jaxfix._analysis.facts import Function
from jaxfix._analysis.finding import CannotFix
from jaxfix._analysis.flow import live_after
from jaxfix._analysis.scopes import writes

from . import masks


@dataclass(frozen=True, slots=True)
class FoundLoop:
    """`loop` runs over the places of `mask`, which `stmt` gives a name, if any does."""

    loop: ast.For
    mask: ast.expr
    stmt: ast.Assign | None = None


def found_loop(fn: Function, node: ast.Call) -> FoundLoop | None:
    """The loop over the places that a call finds, if that is all they are for.

    Raises:
      CannotFix: it is, and the places are wanted afterwards, too.
    """
    made: ast.expr = node
    parent = fn.module.parent(node)
    if isinstance(parent, ast.Subscript) and parent.value is node:
        made = parent
    stmt = fn.module.parent(made)
    match stmt:
        case ast.For():
            return _over(fn, made, made, None)
        case ast.Assign(targets=[ast.Name(id=name)]):
            pass
        case ast.Assign(targets=[ast.Tuple(elts=[ast.Name(id=name)])]):
            made = ast.Subscript(node, build.const(0), ast.Load())
        case _:
            return None
    uses = loads(fn, name)
    if len(bindings(fn, name)) != 1 or len(uses) != 1:
        return None
    return _over(fn, uses[0], made, stmt)


def _over(
    fn: Function, iterated: ast.expr, made: ast.expr, stmt: ast.Assign | None
) -> FoundLoop | None:
    loop = fn.module.parent(iterated)
    mask = _mask_of(fn, made)
    if not isinstance(loop, ast.For) or loop.iter is not iterated or mask is None:
        return None
    if not isinstance(loop.target, ast.Name) or arrays.rank(fn.value(mask)) != 1:
        return None
    if loop.target.id in live_after(fn.node, loop):
        raise CannotFix(f"`{loop.target.id}` is read after the loop")
    return FoundLoop(loop, mask, stmt)


def _mask_of(fn: Function, made: ast.expr) -> ast.expr | None:
    found: ast.expr | None = None
    match made:
        case ast.Call(args=[mask], keywords=[]):
            found = mask if arrays.library(fn, made) in masks.FLAT_FINDERS else None
        case ast.Subscript(
            value=ast.Call(args=[mask], keywords=[]) as call,
            slice=ast.Constant(value=0),
        ):
            found = mask if arrays.library(fn, call) in masks.FINDERS else None
    return found if found is not None and masks.is_mask(fn, found) else None


def is_kept(one: FoundLoop) -> bool:
    """Does the mask have a name that stands for it in the whole loop?"""
    is_named = isinstance(one.mask, ast.Name) and one.stmt is None
    return is_named and ast.unparse(one.mask) not in writes(one.loop.body)


def tested(one: FoundLoop, mask: str) -> ast.For:
    """The loop over all places of the mask of that name."""
    assert isinstance(one.loop.target, ast.Name), "checked when it was found"
    size = ast.Subscript(
        ast.Attribute(build.load(mask), "shape", ast.Load()),
        build.const(0),
        ast.Load(),
    )
    index = build.load(one.loop.target.id)
    test = ast.Subscript(build.load(mask), index, ast.Load())
    return ast.For(
        one.loop.target,
        build.call("range", size),
        [ast.If(test, one.loop.body, [])],
        one.loop.orelse,
    )
