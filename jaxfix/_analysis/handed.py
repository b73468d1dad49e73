"""Arguments that nobody looks at after the call: their changes need not be seen.

A transform hands the function copies of the lists and dicts that it is given. What is
stored into a copy is lost, which matters only to whoever still holds the original.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from .call_sites import Unclear, argument, call_sites, callers
from .scopes import FunctionNode
from .values import Array, Const, Lib, alternatives

if TYPE_CHECKING:
    from .facts import Facts, Function


def is_handed_over(facts: Facts, node: FunctionNode, name: str) -> bool:
    """Is `name` at every call, of which there are some, an object that was made for
    it?"""
    sites = call_sites(facts, node)
    if not sites:
        return False
    for site in sites:
        try:
            given = argument(site, name)
        except Unclear:
            return False
        owners = callers(facts, site)
        if given is None or not owners:
            return False
        if not all(_is_spent(owner, given) for owner in owners):
            return False
    return True


def _is_spent(fn: Function, node: ast.expr) -> bool:
    """Does nothing hold the object once the call has it?"""
    if not isinstance(node, ast.Name):
        return _is_made(fn, node)
    if isinstance(fn.node, ast.Module) or node.id not in fn.variables:
        return False
    reads = [n for n in fn.walk() if isinstance(n, ast.Name) and n.id == node.id]
    made = fn.definitions.get(node.id)
    is_once = sum(isinstance(n.ctx, ast.Load) for n in reads) == 1
    return is_once and bool(made) and all(_is_made(fn, one) for one in made or ())


def _is_made(fn: Function, node: ast.expr) -> bool:
    """A new object, of new objects and numbers."""
    match node:
        case (
            ast.Constant()
            | ast.UnaryOp()
            | ast.BinOp(left=ast.Constant(), right=ast.Constant())
        ):
            return True
        case ast.List(elts=parts) | ast.Tuple(elts=parts):
            return all(_is_made(fn, part) for part in parts)
        case ast.ListComp(elt=elt):
            return _is_made(fn, elt)
        case ast.Dict(values=parts):
            return all(_is_made(fn, part) for part in parts)
        case ast.BinOp(left=left, op=ast.Mult(), right=right):
            return _is_made(fn, left) and _is_made(fn, right)
        case ast.Call(args=args):
            callees = fn.callees(node)
            is_library = all(isinstance(c, Lib) for c in callees)
            return bool(callees) and is_library and all(_is_made(fn, a) for a in args)
    known = alternatives(fn.value(node) or Const(""))
    return all(
        (isinstance(o, Const) and not isinstance(o.value, str))
        or (isinstance(o, Array) and not o.tree)
        for o in known
    )


__all__ = ["is_handed_over"]
