"""Places with a name, into which `.at[...]` stores: the name becomes that of the mask.

`hits = jnp.where(mask)[0]`, then `x.at[hits].set(0.0)`, is `jnp.where(mask, 0.0, x)`.
"""

from __future__ import annotations

import ast
import functools
from dataclasses import dataclass, replace

from jaxfix._analysis import arrays, build
from jaxfix._analysis.definitions import bindings, definition, loads
from jaxfix._analysis.facts import Function
from jaxfix._analysis.finding import CannotFix
from jaxfix._analysis.values import Const
from jaxfix._planning import masks

from .rewrite import Rewriter
from .updates import Update, at_update, updated


@dataclass(frozen=True, slots=True)
class NamedPlaces:
    """`target = made`, where `made` finds the places of `mask`, and all its uses."""

    target: ast.expr
    made: ast.expr
    mask: ast.expr
    uses: tuple[ast.Subscript, ...]


def named_places(fn: Function, node: ast.Call) -> NamedPlaces | None:
    """The places that a call finds, if they are only stored into."""
    if arrays.library(fn, node) not in masks.FINDERS or node.keywords:
        return None
    if len(node.args) != 1 or not masks.is_mask(fn, mask := node.args[0]):
        return None
    made: ast.expr = node
    parent = fn.module.parent(node)
    if isinstance(parent, ast.Subscript) and parent.value is node:
        is_first = fn.value(parent.slice) == Const(0)
        if not is_first or arrays.rank(fn.value(mask)) != 1:
            return None
        made = parent
    stmt = fn.module.parent(made)
    if not isinstance(stmt, ast.Assign) or len(stmt.targets) != 1:
        return None
    target = stmt.targets[0]
    names = target.elts if isinstance(target, ast.Tuple) else [target]
    if made is not node and names != [target]:
        return None
    uses: dict[int, ast.Subscript] = {}
    for name in names:
        if not isinstance(name, ast.Name) or len(bindings(fn, name.id)) != 1:
            return None
        for use in loads(fn, name.id):
            found = _stored(fn, use, target)
            if found is None or not _is_given(fn, stmt, use):
                return None
            uses[id(found)] = found
    return NamedPlaces(target, made, mask, tuple(uses.values())) if uses else None


def _is_given(fn: Function, stmt: ast.Assign, use: ast.Name) -> bool:
    """Has a name that is bound once its value where it is read?"""
    if definition(fn, use) is not None:
        return True
    return fn.module.parent(stmt) is fn.node and use.lineno > stmt.lineno


def _stored(fn: Function, use: ast.Name, target: ast.expr) -> ast.Subscript | None:
    """The `x.at[row, column]` with all the names, in order, as its index."""
    index: ast.AST = use
    if isinstance(target, ast.Tuple) and len(target.elts) > 1:
        index = fn.module.parent(use) or use
        if not isinstance(index, ast.Tuple) or _names(index) != _names(target):
            return None
    subscript = fn.module.parent(index)
    if not isinstance(subscript, ast.Subscript) or subscript.slice is not index:
        return None
    return subscript if masks.is_at(fn, subscript) else None


def _names(node: ast.Tuple) -> list[str]:
    return [ast.unparse(element) for element in node.elts]


def check(fn: Function, one: NamedPlaces) -> None:
    """Can each store be written with the mask?

    Raises:
      CannotFix: one cannot.
    """
    for use in one.uses:
        updated(fn, _by_mask(fn, one, use)[1], lambda name: name)


def _by_mask(
    fn: Function, one: NamedPlaces, use: ast.Subscript
) -> tuple[ast.Call, Update]:
    call, update = at_update(fn, use)
    if arrays.rank(fn.value(update.value)) != 0:
        raise CannotFix(f"`{ast.unparse(update.value)}` may be more than a number")
    if not masks.leads(fn, update.base, one.mask):
        text = ast.unparse(update.base)
        raise CannotFix(f"it cannot be seen that the mask has the shape of `{text}`")
    return call, replace(update, index=[one.mask])


def mend(write: Rewriter, fn: Function, one: NamedPlaces) -> None:
    """Carry out what `check` allows."""
    writer = write.writer(fn.module)
    assert not isinstance(fn.node, ast.Module), "its variables are local"
    name = ast.unparse(one.target)
    if isinstance(one.target, ast.Tuple):
        name = writer.fresh("mask", fn.node)
        writer.edit(one.target, name)
    writer.edit(one.made, lambda: writer.expr(one.mask))
    for use in one.uses:
        call, update = _by_mask(fn, one, use)
        new = _Renamed(one.mask, name).visit(updated(fn, update, write.spell(fn)))
        assert isinstance(new, ast.expr), "it was one"
        writer.edit(call, functools.partial(writer.expr, new))


class _Renamed(ast.NodeTransformer):
    """Puts the name of a mask where the mask is."""

    def __init__(self, mask: ast.expr, name: str) -> None:
        self.mask = mask
        self.name = name

    def visit(self, node: ast.AST) -> ast.AST:
        if node is self.mask:
            return build.load(self.name)
        # What the program itself says stays as it is.
        return super().visit(node) if build.is_new(node) else node
