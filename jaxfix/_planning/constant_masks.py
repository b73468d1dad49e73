"""Masks that are made of constants by `jax.numpy`, and are traced for that alone."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from jaxfix._analysis import arrays, jax_api
from jaxfix._analysis.definitions import loads, resolved
from jaxfix._analysis.facts import Function

from .masks import mask_of


def calls(fn: Function, node: ast.Subscript) -> tuple[ast.Call, ...]:
    """The calls of `jax.numpy` that NumPy could do, so that the mask were concrete.

    Empty if the mask depends on data, or is stored into.
    """
    parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    found: list[ast.Call] = []
    for part in parts:
        if fn.static(part):
            continue
        mask = mask_of(fn, part)
        if mask is not part:
            return ()
        made = list(_made_by(fn, mask))
        if None in made:
            return ()
        found += [call for call in made if call is not None]
    return tuple({id(call): call for call in found}.values())


def _made_by(fn: Function, node: ast.expr) -> Iterator[ast.Call | None]:
    """The calls of `jax.numpy` that make a value; None for what NumPy cannot do.

    With floats it could, but it has more digits of them, and comparisons may differ.
    """
    if fn.static(node):
        return
    if arrays.kind(fn.value(node)) not in ("b", "i"):
        yield None
        return
    match node:
        case ast.Name():
            value = resolved(fn, node)
            is_stored = any(_is_at(fn, use) for use in loads(fn, node.id))
            if value is node or is_stored:
                yield None
            else:
                yield from _made_by(fn, value)
        case ast.Compare(left=left, comparators=rights):
            for side in (left, *rights):
                yield from _made_by(fn, side)
        case ast.BinOp(left=left, right=right):
            yield from _made_by(fn, left)
            yield from _made_by(fn, right)
        case ast.UnaryOp(op=ast.Invert() | ast.USub(), operand=operand):
            yield from _made_by(fn, operand)
        case ast.Call(args=args, keywords=keywords):
            name = arrays.library(fn, node) or ""
            given = [*args, *(keyword.value for keyword in keywords)]
            same = name.removeprefix("jax.")
            options = [keyword.arg or "" for keyword in keywords]
            if jax_api.numpy_to_jnp(same, options) != name or any(
                isinstance(arg, ast.Starred) for arg in args
            ):
                yield None
                return
            yield node
            for arg in given:
                yield from _made_by(fn, arg)
        case _:
            yield None


def _is_at(fn: Function, use: ast.Name) -> bool:
    parent = fn.module.parent(use)
    return isinstance(parent, ast.Attribute) and parent.attr == "at"
