"""Carries out `masks.Mending`: reductions of whole arrays instead of their parts."""

from __future__ import annotations

import ast

from jaxfix._analysis import build
from jaxfix._analysis.definitions import block_of, unchanged
from jaxfix._analysis.facts import Function
from jaxfix._planning import masked_gradients, masks
from jaxfix._planning.found_places import FoundPlaces
from jaxfix._planning.masks import Masked, Mending, Selection, Whole

from .rewrite import Rewriter


def mend_places(write: Rewriter, fn: Function, one: FoundPlaces) -> None:
    """The mask under a name in the place of where it holds, and what uses them."""
    writer = write.writer(fn.module)
    name = one.mask.id if isinstance(one.mask, ast.Name) else _free_name(write, fn)
    if isinstance(one.mask, ast.Name):
        writer.remove(one.stmt)
    else:
        writer.edit(one.target, name)
        writer.edit(one.made, lambda: writer.expr(one.mask))
    total = build.call(write.spell(fn)("jax.numpy.sum"), build.load(name))
    for count in one.counts:
        writer.edit(count, lambda: writer.expr(total))
    for found, plan in one.picks:
        mend_selection(write, fn, found, plan, name)


def mend_selection(
    write: Rewriter, fn: Function, found: Selection, plan: Mending, name: str = ""
) -> None:
    """Rewrite the reductions that a selection ends in; `name` is that of its mask."""
    mask = masks.where_mask(fn, found, write.spell(fn))
    if name and mask is found.mask:
        mask = build.load(name)
    elif name and isinstance(mask, ast.Subscript):
        mask = ast.Subscript(build.load(name), mask.slice, ast.Load())
    if plan.statement is not None:
        mask = _instead(write, fn, plan, mask)
    elif plan.derived:
        mask = _named(write, fn, plan.derived[0][0], mask)
    for stmt, whole in plan.derived:
        if id(stmt) not in write.whole:
            write.whole.add(id(stmt))
            zeroed = masked_gradients.zeroed_parts(fn, stmt.value, whole)
            _whole(write, fn, whole, zeroed, mask)
    for one in plan.masked:
        if id(one.reduction.node) not in write.whole:
            write.whole.add(id(one.reduction.node))
            _reduce(write, fn, one, mask)


def _instead(write: Rewriter, fn: Function, plan: Mending, mask: ast.expr) -> ast.expr:
    """The mask, under a name if it has a use of its own, where the selection was."""
    writer = write.writer(fn.module)
    stmt = plan.statement
    assert stmt is not None, "the selection is bound to a name"
    is_bare = not writer.leading(stmt) and writer.trailing(stmt) is None
    known = _known(write, fn, stmt, mask)
    once = len(plan.masked) == 1 and not plan.derived
    once = once and not masked_gradients.zeroed(fn, plan.masked[0])
    if is_bare and (once or known is not None or isinstance(mask, ast.Name)):
        writer.remove(stmt)
        return known or mask
    name = _free_name(write, fn)
    made = build.assign(name, mask)
    writer.replace_statement(stmt, lambda: writer.statements([made]))
    write.masks[id(fn.node), ast.dump(mask)] = (stmt, name)
    return build.load(name)


def _named(write: Rewriter, fn: Function, stmt: ast.stmt, mask: ast.expr) -> ast.expr:
    """The mask under a name, bound before a statement."""
    if isinstance(mask, ast.Name):
        return mask
    known = _known(write, fn, stmt, mask)
    if known is not None:
        return known
    writer = write.writer(fn.module)
    name = _free_name(write, fn)
    made = build.assign(name, mask)
    writer.insert_before(stmt, lambda: writer.statements([made]))
    write.masks[id(fn.node), ast.dump(mask)] = (stmt, name)
    return build.load(name)


def _free_name(write: Rewriter, fn: Function) -> str:
    fresh = write.fresh(fn)
    name = fresh("mask")
    return name if name == "mask" else fresh("where")


def _known(
    write: Rewriter, fn: Function, stmt: ast.stmt, mask: ast.expr
) -> ast.expr | None:
    """The name that the same mask got before, in the same block."""
    found = write.masks.get((id(fn.node), ast.dump(mask)))
    if found is None:
        return None
    first, name = found
    block = block_of(fn, stmt)
    is_before = first in block and block.index(first) <= block.index(stmt)
    return build.load(name) if is_before and unchanged(fn, mask, first, stmt) else None


def _reduce(write: Rewriter, fn: Function, one: Masked, mask: ast.expr) -> None:
    writer = write.writer(fn.module)
    new = masks.reduced(fn, one, mask, write.spell(fn))
    _whole(write, fn, one.whole, masked_gradients.zeroed(fn, one), mask)
    writer.edit(one.reduction.node, lambda: writer.expr(new))


def _whole(
    write: Rewriter,
    fn: Function,
    whole: Whole,
    zeroed: tuple[ast.expr, ...],
    mask: ast.expr,
) -> None:
    """Whole arrays in place of selections, with zeros where they are needed."""
    writer = write.writer(fn.module)
    spell = write.spell(fn)
    made: dict[ast.expr, ast.expr] = {}
    for node, picked in whole.leaves:
        guarded = masked_gradients.is_guarded(fn, node, whole)
        base = masks.leaf(picked, mask, guarded, spell)
        made[node] = masks.zero_elsewhere(mask, base, spell) if node in zeroed else base
    for part in whole.guards:
        made[part] = masks.one_elsewhere(mask, part, spell)
    for part in zeroed:
        made.setdefault(part, masks.zero_elsewhere(mask, part, spell))
    for node, new in made.items():
        if new is not node:
            writer.edit(node, lambda new=new: writer.expr(new))  # type: ignore[misc]
        power = fn.module.parent(node)
        is_power = isinstance(power, ast.BinOp) and isinstance(power.op, ast.Pow)
        if isinstance(power, ast.BinOp) and (is_power or isinstance(new, ast.Call)):
            again = ast.BinOp(power.left, power.op, power.right)
            writer.edit(power, lambda again=again: writer.expr(again))  # type: ignore[misc]
