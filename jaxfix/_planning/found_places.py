"""Places with a name that pick elements to be reduced, or that are counted.

`hits = jnp.where(mask)[0]`, then `x[hits].sum()` and `len(hits)`: the name becomes that
of the mask, and the reductions skip what it leaves out.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass

from jaxfix._analysis import arrays
from jaxfix._analysis.definitions import bindings, loads
from jaxfix._analysis.facts import Function
from jaxfix._analysis.finding import CannotFix, Safety
from jaxfix._analysis.values import Const

from . import masks
from .masks import Mending, Selection
from .sizes import counted


@dataclass(frozen=True, slots=True)
class FoundPlaces:
    """`stmt` binds the places of `mask` to `target`; `made` are the places.

    `counts` ask how many there are, `picks` are what the places pick.
    """

    stmt: ast.Assign
    target: ast.Name
    made: ast.expr
    mask: ast.expr
    counts: tuple[ast.expr, ...]
    picks: tuple[tuple[Selection, Mending], ...]

    @property
    def safety(self) -> Safety:
        is_unsafe = any(plan.safety is Safety.UNSAFE for _, plan in self.picks)
        return Safety.UNSAFE if is_unsafe else Safety.SAFE


def found_places(fn: Function, node: ast.Call) -> FoundPlaces | None:
    """The places that a call finds, if all their uses are of this kind.

    Raises:
      CannotFix: they are, and one cannot be written with the mask.
    """
    made: ast.expr = node
    parent = fn.module.parent(node)
    if isinstance(parent, ast.Subscript) and parent.value is node:
        made = parent
    mask = masks.mask_of(fn, made)
    stmt = fn.module.parent(made)
    if mask is None or masks.is_mask(fn, made) or not isinstance(stmt, ast.Assign):
        return None
    match stmt.targets:
        case [ast.Name(id=name) as target] if len(bindings(fn, name)) == 1:
            pass
        case _:
            return None
    is_tuple = made is node and arrays.library(fn, node) not in masks.FLAT_FINDERS
    counts: list[ast.expr] = []
    picked: list[ast.Subscript] = []
    for use in loads(fn, name):
        if (count := _count(fn, use, is_tuple=is_tuple)) is not None:
            counts.append(count)
            continue
        pick = fn.module.parent(use)
        if not isinstance(pick, ast.Subscript) or masks.named_mask(fn, use) is not mask:
            return None
        if pick.slice is not use or not isinstance(pick.ctx, ast.Load):
            return None
        picked.append(pick)
    if not counts and not picked:
        return None
    if any(arrays.size_uses(fn, count) for count in counts):
        raise CannotFix("the number of elements is used as a shape")
    picks = tuple(_pick(fn, one) for one in picked)
    return FoundPlaces(stmt, target, made, mask, tuple(counts), picks)


def _count(fn: Function, use: ast.Name, *, is_tuple: bool) -> ast.expr | None:
    """`len(hits)`, `hits.size`, `hits.shape[0]`; of a tuple, `hits[0].size`."""
    if not is_tuple:
        return counted(fn, use)
    axis = fn.module.parent(use)
    if not isinstance(axis, ast.Subscript) or axis.value is not use:
        return None
    return counted(fn, axis) if fn.value(axis.slice) == Const(0) else None


def _pick(fn: Function, node: ast.Subscript) -> tuple[Selection, Mending]:
    found = masks.subscript_selection(fn, node)
    if found is None or found.mask is None:
        raise CannotFix(f"`{ast.unparse(node)}` picks no elements of an array")
    if not masks.leads(fn, found.base, found.mask):
        text = ast.unparse(found.base)
        raise CannotFix(f"it cannot be seen that the mask has the shape of `{text}`")
    return found, masks.mending(fn, found)
