"""Carries out `masks.Mending`: reductions of whole arrays instead of their parts."""

from __future__ import annotations

import ast

from jaxfix._analysis import build
from jaxfix._analysis.facts import Function
from jaxfix._planning import masked_gradients, masks
from jaxfix._planning.masks import Masked, Mending, Selection

from .rewrite import Rewriter


def mend_selection(
    write: Rewriter, fn: Function, found: Selection, plan: Mending
) -> None:
    """Rewrite the reductions that a selection ends in."""
    mask = masks.where_mask(fn, found, write.spell(fn))
    if plan.statement is not None:
        mask = _named(write, fn, plan, mask)
    for one in plan.masked:
        _reduce(write, fn, one, mask)


def _named(write: Rewriter, fn: Function, plan: Mending, mask: ast.expr) -> ast.expr:
    """The mask under a name, bound where the selection was."""
    writer = write.writer(fn.module)
    stmt = plan.statement
    assert stmt is not None, "the selection is bound to a name"
    is_bare = not writer.leading(stmt) and writer.trailing(stmt) is None
    if is_bare and (len(plan.masked) == 1 or isinstance(mask, ast.Name)):
        writer.remove(stmt)
        return mask
    name = write.fresh(fn)("mask")
    made = build.assign(name, mask)
    writer.replace_statement(stmt, lambda: writer.statements([made]))
    return build.load(name)


def _reduce(write: Rewriter, fn: Function, one: Masked, mask: ast.expr) -> None:
    writer = write.writer(fn.module)
    spell = write.spell(fn)
    new = masks.reduced(fn, one, mask, spell)
    zeroed = masked_gradients.zeroed(fn, one)
    for node, picked in one.whole.leaves:
        base = masks.leaf(picked, mask, one.whole.guarded, spell)
        if node in zeroed:
            base = masks.zero_elsewhere(mask, base, spell)
        writer.edit(node, lambda base=base: writer.expr(base))  # type: ignore[misc]
    leaves = [node for node, _ in one.whole.leaves]
    for part in zeroed:
        if part not in leaves:
            new_part = masks.zero_elsewhere(mask, part, spell)
            writer.edit(part, lambda made=new_part: writer.expr(made))  # type: ignore[misc]
    end = one.reduction.node
    writer.edit(end, lambda: writer.expr(new))
