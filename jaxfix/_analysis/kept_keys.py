"""Keys that a state carries on as they are, after a step has consumed them.

`state = step(state)` in a loop, where `step` draws from `state.key` and returns
`state._replace(place=...)`: every round has the same numbers.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import TYPE_CHECKING

from .call_sites import Unclear, argument, call_sites, callers
from .scopes import parameter_names, walk_scope
from .static_uses import loops_around

if TYPE_CHECKING:
    from .facts import Function


def is_kept(fn: Function, path: str) -> bool:
    """Does the function return an argument with the key at `path` as it was?

    `path` is that of an attribute or an item of it: `state.key`, `state['key']`.
    """
    if isinstance(fn.node, ast.Lambda | ast.Module):
        return False
    state, key = split(path)
    if not key or state not in parameter_names(fn.node):
        return False
    returns = [n for n in walk_scope(fn.node.body) if isinstance(n, ast.Return)]
    given = [copied(one.value, state, key) for one in returns]
    return bool(given) and all(given)


def split(path: str) -> tuple[str, str]:
    """The variable, and the name of the attribute or item; "" if there are more."""
    state, _, rest = path.replace("[", ".").partition(".")
    key = rest.strip("]'\"")
    return state, key if key.isidentifier() else ""


def copied(node: ast.expr | None, state: str, key: str) -> bool:
    """Is it a copy of the state that has other parts, but the same key?"""
    match node:
        case ast.Tuple(elts=parts):
            return any(copied(part, state, key) for part in parts)
        case ast.Call(func=ast.Attribute(value=ast.Name(id=base), attr=attr)):
            is_copy = base == state and attr in ("_replace", "replace")
            if attr == "replace" and not is_copy:
                is_copy = is_first(node, state)
            return is_copy and leaves(node, key)
        case ast.Call(func=ast.Name(id="replace")):
            return is_first(node, state) and leaves(node, key)
        case ast.Dict(keys=keys, values=values):
            spread = any(
                k is None and isinstance(v, ast.Name) and v.id == state
                for k, v in zip(keys, values, strict=True)
            )
            return spread and not any(
                not isinstance(k, ast.Constant) or k.value == key
                for k in keys
                if k is not None
            )
        case _:
            return False


def is_first(call: ast.Call, state: str) -> bool:
    match call.args:
        case [ast.Name(id=name)]:
            return name == state
        case _:
            return False


def leaves(call: ast.Call, key: str) -> bool:
    """Does a call of `replace` say nothing of the key?"""
    return all(k.arg is not None and k.arg != key for k in call.keywords)


def is_fed_back(fn: Function, state: str) -> bool:
    """Is the function called in a loop on what it gave before, and on nothing else?"""
    assert not isinstance(fn.node, ast.Module), "a module is not called"
    for site in call_sites(fn.facts, fn.node):
        try:
            given = argument(site, state)
        except Unclear:
            continue
        call = site.call.node
        for caller in callers(fn.facts, site):
            parent = caller.module.parent(call)
            if not isinstance(given, ast.Name) or not isinstance(parent, ast.Assign):
                continue
            own = stores([*parent.targets], given.id)
            loops = loops_around(caller, call)
            if own and loops and len(stores([loops[0]], given.id)) == len(own):
                return True
    return False


def stores(nodes: Sequence[ast.AST], name: str) -> list[ast.Name]:
    return [
        one
        for node in nodes
        for one in ast.walk(node)
        if isinstance(one, ast.Name)
        and one.id == name
        and isinstance(one.ctx, ast.Store)
    ]
