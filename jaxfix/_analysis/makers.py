"""Functions that compile a new function whenever they are called, in a loop.

`step = make_step(0.1)` gives another function in each round, though for the same
values: programs are kept by the function's identity, so each round compiles.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .call_sites import call_sites, callers
from .factories import changes_in, is_called, returns
from .finding import CannotFix
from .fresh import kind_of, local_function
from .scopes import free_names, reads, root_name
from .static_uses import loops_around

if TYPE_CHECKING:
    from .facts import Function


@dataclass(frozen=True, slots=True)
class Made:
    """A call of the maker in loops in which its arguments do not change."""

    caller: Function
    call: ast.Call
    loops: tuple[ast.AST, ...]


@dataclass(frozen=True, slots=True)
class Maker:
    """The function `node`, which returns what `root` compiles, and its calls."""

    node: ast.FunctionDef
    root: ast.expr
    made: tuple[Made, ...]


def maker_at(fn: Function, root: ast.expr) -> Maker | None:
    """The maker that a decorator, or a call of `jax.jit`, is the heart of."""
    node = fn.node
    if not isinstance(node, ast.FunctionDef) or fn.under or node.decorator_list:
        return None
    if id(root) not in fn.facts.roots_at or not _is_result(fn, node, root):
        return None
    made = tuple(_made(fn, node))
    return Maker(node, root, made) if made and is_settled(fn, node) else None


def _is_result(fn: Function, node: ast.FunctionDef, root: ast.expr) -> bool:
    """Does the function return what `root` compiles, a new function each time?"""
    parent = fn.module.parent(root)
    if isinstance(parent, ast.FunctionDef):
        is_inner = parent is not node and root in parent.decorator_list
        return is_inner and returns(node, parent.name)
    if not isinstance(root, ast.Call) or not root.args:
        return False
    match root.args[0]:
        case ast.Name(id=name) if local_function(fn, name):
            pass
        case function if kind_of(fn, function) is None:
            return False
    match parent:
        case ast.Return():
            return parent is node.body[-1]
        case ast.Assign(targets=[ast.Name(id=name)]):
            return returns(node, name)
        case _:
            return False


def _made(fn: Function, node: ast.FunctionDef) -> Iterator[Made]:
    for site in call_sites(fn.facts, node):
        call = site.node
        if call is None:
            continue
        for caller in callers(fn.facts, site):
            loops = loops_around(caller, call)
            changed = {name for loop in loops for name in changes_in(loop)}
            changed = (changed - _named(caller, call)) | _touched(loops, call)
            is_same = not set(reads(call)) & changed
            if loops and is_same and not caller.under and is_called(caller, call):
                yield Made(caller, call, tuple(loops))


def _named(caller: Function, call: ast.Call) -> set[str]:
    """What the result is bound to, which is another function in each round."""
    match caller.module.parent(call):
        case ast.Assign(targets=[ast.Name(id=name)]):
            return {name} - set(reads(call))
        case _:
            return set()


def _touched(loops: list[ast.AST], made: ast.Call) -> set[str]:
    """The variables whose objects the loops may change: stored into, or asked to."""
    found = set()
    for node in (node for loop in loops for node in ast.walk(loop)):
        match node:
            case (
                ast.Subscript(ctx=ast.Store() | ast.Del())
                | ast.Attribute(ctx=ast.Store() | ast.Del())
            ):
                found.add(root_name(node) or "")
            case ast.Call(func=ast.Attribute() as method) if node is not made:
                found.add(root_name(method) or "")
    return found


def is_settled(fn: Function, node: ast.FunctionDef) -> bool:
    """Does the function read nothing from outside that changes?"""
    places = fn.facts.captures.places
    own = {id(inner) for inner in ast.walk(node)}
    for read in ast.walk(node):
        if not isinstance(read, ast.Name | ast.Attribute | ast.Subscript):
            continue
        place = places.place(fn.module, read)
        if place is None or not isinstance(read.ctx, ast.Load):
            continue
        if place.owner not in own and places.of(place) or places.of_given(place):
            return False
    return True


def check(fn: Function, one: Maker) -> None:
    """Can the function be made before the loops, once for each?

    Raises:
      CannotFix: it may be another one in another round.
    """
    for stmt in one.node.body:
        if not _only_makes(fn, stmt, one.root):
            raise CannotFix(f"`{one.node.name}` does more than make the function")
    roots = fn.facts.roots_at[id(one.root)]
    for capture in fn.facts.captures.all.values():
        if any(capture.root is root for root in roots):
            raise CannotFix(f"`{capture.text}` has to become an argument first")
    changed = set(free_names(one.node)) & fn.module.rebound
    if changed:
        raise CannotFix(f"`{min(changed)}` may change between the rounds")
    for made in one.made:
        if isinstance(made.caller.node, ast.Module):
            raise CannotFix("make it once, before the loop")
        given = [*made.call.args, *(k.value for k in made.call.keywords)]
        if not isinstance(made.call.func, ast.Name) or not all(
            isinstance(g, ast.Name | ast.Constant) for g in given
        ):
            raise CannotFix(
                "what it is made of may change in the loop; else make it before"
            )


def _only_makes(fn: Function, stmt: ast.stmt, root: ast.expr) -> bool:
    """Is a statement the definition, the jit or the return of a function?"""
    match stmt:
        case ast.FunctionDef() | ast.Return(value=ast.Name()):
            return True
        case ast.Expr(value=ast.Constant()):
            return True
        case ast.Return(value=value) | ast.Assign(value=value) if value is root:
            calls = [n for n in ast.walk(value) if isinstance(n, ast.Call)]
            return all(_is_transform(fn, call) for call in calls)
        case _:
            return False


def _is_transform(fn: Function, call: ast.Call) -> bool:
    name = fn.library(call) or ""
    return name.startswith("jax.") or name == "functools.partial"
