"""Functions that make a compiled function for each value: one program a value.

`make_step(rate)` returns a jitted function that reads `rate` from the call around it.
Each call makes a new function, and programs are kept by the function's identity.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .call_sites import Site, Unclear, argument, call_sites, callers
from .finding import CannotFix
from .objects import is_data
from .scopes import free_names, local_names, parameter_names, reads, writes
from .static_uses import loops_around, value_of

if TYPE_CHECKING:
    from .facts import Function


@dataclass(frozen=True, slots=True)
class Factory:
    """A function that returns the jitted function `inner`, and a loop that calls it.

    `captured`: its parameters that `inner` reads, in their order.
    """

    node: ast.FunctionDef
    inner: ast.FunctionDef
    captured: tuple[str, ...]
    site: Site


def factory_at(fn: Function, decorator: ast.expr) -> Factory | None:
    """The factory whose result a decorator compiles, if a loop calls it for values."""
    inner = fn.module.parent(decorator)
    if not isinstance(fn.node, ast.FunctionDef) or fn.under:
        return None
    if not isinstance(inner, ast.FunctionDef) or decorator not in inner.decorator_list:
        return None
    if id(decorator) not in fn.facts.roots_at or fn.node.decorator_list:
        return None
    free = set(free_names(inner))
    captured = tuple(n for n in parameter_names(fn.node) if n in free)
    if not returns(fn.node, inner.name) or not captured:
        return None
    for site in call_sites(fn.facts, fn.node):
        if varies(fn, site, captured):
            return Factory(fn.node, inner, captured, site)
    return None


def returns(node: ast.FunctionDef, name: str) -> bool:
    """Does the function return what `name` stands for, as the last thing it does?"""
    match node.body[-1]:
        case ast.Return(value=ast.Name(id=found)):
            return found == name
        case _:
            return False


def varies(fn: Function, site: Site, captured: tuple[str, ...]) -> bool:
    """Does a loop call the factory with another value in each round, and the result?"""
    if site.node is None:
        return False
    given = []
    for name in captured:
        try:
            given.append(argument(site, name))
        except Unclear:
            return False
    for caller in callers(fn.facts, site):
        loops = loops_around(caller, site.node)
        changed = {n for loop in loops for n in changes_in(loop)}
        values = [g for g in given if g is not None and set(reads(g)) & changed]
        if not values or caller.under:
            continue
        known = [value_of(caller, v) for v in values]
        if all(v is not None and is_data(v) for v in known):
            return is_called(caller, site.node)
    return False


def changes_in(loop: ast.AST) -> set[str]:
    """The names that a loop or a comprehension gives other values."""
    if isinstance(loop, ast.For | ast.While):
        return set(writes([loop]))
    targets = [g.target for g in getattr(loop, "generators", [])]
    return {n for t in targets for n in writes(t)}


def is_called(caller: Function, made: ast.Call) -> bool:
    """Is what the factory gives called there, at once or by a name?"""
    parent = caller.module.parent(made)
    match parent:
        case ast.Call(func=func) if func is made:
            return True
        case ast.Assign(targets=[ast.Name(id=name)]):
            called = [n.func for n in ast.walk(caller.node) if isinstance(n, ast.Call)]
            return any(isinstance(f, ast.Name) and f.id == name for f in called)
        case _:
            return False


def check(fn: Function, one: Factory) -> None:
    """Can the compiled function stand in the module, with parameters for what it reads?

    Raises:
      CannotFix: it reads more of the factory, or its options count arguments.
    """
    if len(one.node.body) > 2 or one.node.body[0] is not one.inner:
        raise CannotFix("the factory does more than make the function")
    if fn.module.parent(one.node) is not fn.module.tree:
        raise CannotFix(f"`{one.node.name}` is not a function of the module")
    inner, outer = one.inner, set(local_names(one.node))
    rebound = set(local_names(inner)) & set(one.captured)
    if rebound or set(free_names(inner)) & outer - set(one.captured):
        raise CannotFix("the compiled function depends on more than parameters")
    for root in fn.facts.roots_at[id(inner.decorator_list[0])]:
        if any(name.endswith("argnums") for name, _ in root.options):
            raise CannotFix("the options of `jit` count arguments")
    if len(inner.decorator_list) > 1:
        raise CannotFix("the compiled function has other decorators")
