"""What a call reads besides its arguments: variables of the function that it stands in.

A closure reads a variable when it is called. Where statements change places, or become
a local function with variables of its own, it must still see what it saw before.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING

from .arguments import as_array
from .build import source_of
from .definitions import bindings, block_of, enclosing
from .effects import cost
from .flow import exits
from .objects import FunctionNode, FunctionValue
from .scopes import (
    FUNCTIONS,
    declared,
    free_names,
    parameter_names,
    reads,
    scope_body,
    writes,
)
from .transformed import underlying
from .values import Value, alternatives

if TYPE_CHECKING:
    from .facts import Function

_SCOPES = (*FUNCTIONS, ast.Lambda)


def hidden_reads(
    fn: Function, node: ast.AST, inside: frozenset[int] = frozenset()
) -> frozenset[str]:
    """The variables of `fn` that functions read which are called or named in `node`.

    The functions whose nodes are `inside` do not count.
    """
    found: set[str] = set()
    seen: set[int] = set()
    todo = [f for n in ast.walk(node) for f in _functions_at(fn, n)]
    while todo:
        one = todo.pop()
        if id(one.node) in seen or id(one.node) in inside:
            continue
        seen.add(id(one.node))
        found.update(n for n in free_names(one.node) if _sees(fn, one, n))
        if (called := fn.facts.function(one.node)) is not None:
            todo += [f for n in called.walk() for f in _functions_at(called, n)]
    return frozenset(found)


def all_reads(fn: Function, node: ast.AST) -> frozenset[str]:
    """The names that code reads, itself or through the functions that it calls."""
    return hidden_reads(fn, node) | set(reads(node))


def reads_variables(fn: Function, node: ast.AST) -> bool:
    """Does a function that is called or named in `node` read what may change?"""
    known = () if isinstance(fn.node, ast.Module) else parameter_names(fn.node)
    return any(
        len(bindings(fn, name)) + (name in known) > 1 for name in hidden_reads(fn, node)
    )


def moving_obstacle(fn: Function, block: Sequence[ast.stmt]) -> str | None:
    """Why the statements cannot become a local function; None if they can."""
    for name in sorted(stale_names(fn, block)):
        return f"a function that was made before it reads `{name}`, which it binds"
    return None


def stale_names(fn: Function, block: Sequence[ast.stmt]) -> frozenset[str]:
    """What the statements bind, and functions from outside read that they use.

    In whatever order: a closure may get the variable as an argument, in the same round.
    """
    inside = frozenset(id(source_of(n)) for s in block for n in ast.walk(s))
    bound = set(writes(block))
    if not bound:
        return frozenset()
    return frozenset(n for s in block for n in hidden_reads(fn, s, inside)) & bound


def moved_names(fn: Function, closure: FunctionNode) -> frozenset[str]:
    """What a closure reads, and code that calls it and becomes a function binds."""
    found: set[str] = set()
    for node in fn.walk():
        for block in _moved_blocks(fn, node):
            if not any(n is closure for s in block for n in ast.walk(s)):
                found |= stale_names(fn, block)
    return frozenset(free_names(closure)) & found


def _moved_blocks(fn: Function, node: ast.AST) -> Iterator[Sequence[ast.stmt]]:
    """The statements that become functions, if a traced branch or loop is rewritten."""
    match node:
        case ast.While(test=test) if fn.traced(test):
            yield [node]
        case ast.For() if fn.traced_count(node):
            yield [node]
        case ast.If(test=test) if fn.traced(test):
            yield from filter(partial(_is_function, fn), (node.body, node.orelse))
            if exits([node]) - {"fall"}:
                yield _rest(fn, node)


def _is_function(fn: Function, arm: Sequence[ast.stmt]) -> bool:
    """Does an arm become a function, and not a few `jnp.where`s?"""
    values = [s.value for s in arm if isinstance(s, ast.Assign)]
    return len(values) < len(arm) or not all(cost(fn, v).cheap for v in values)


def _rest(fn: Function, node: ast.If) -> list[ast.stmt]:
    """What runs after an `if`, up to the end of the loop or function around it."""
    rest: list[ast.stmt] = []
    for stmt in (node, *enclosing(fn, node)):
        if isinstance(stmt, ast.For | ast.While):
            break
        block = block_of(fn, stmt)
        rest += block[block.index(stmt) + 1 :]
    return rest


def outer_names(fn: Function) -> frozenset[str]:
    """The variables of others that a function binds: nonlocal and global ones."""
    body = scope_body(fn.node)
    return frozenset(declared(body, ast.Nonlocal) | declared(body, ast.Global))


def shared_values(fn: Function) -> dict[str, Value]:
    """The variables of the functions around it that a function binds, of one dtype.

    Only for a function that is called in the same trace: none that a transform runs.
    """
    found: dict[str, Value] = {}
    if fn.definition is None or fn.roots():
        return found
    for name in declared(scope_body(fn.node), ast.Nonlocal):
        owner = fn.definition.scope.owner_of(name)
        if owner is None:
            continue
        arrays = [as_array(v) for v in _assigned(fn, owner.node, name)]
        kinds = {a.dtype.kind if a and a.dtype else None for a in arrays}
        if len(kinds) == 1 and None not in arrays:
            found[name] = owner.vars[name]
    return found


def _assigned(fn: Function, scope: ast.AST, name: str) -> Iterator[Value]:
    """The values that a variable of a function gets, in it and in those inside."""
    for node in ast.walk(scope):
        value = None
        match node:
            case ast.AugAssign(target=ast.Name(id=target)) if target == name:
                value = fn.value(node)
            case ast.Name(id=target, ctx=ast.Store()) if target == name:
                value = fn.value(node)
        yield from alternatives(value) if value is not None else ()


def _sees(fn: Function, one: FunctionValue, name: str) -> bool:
    """Is the free variable `name` of a function one of `fn`?"""
    around = [*one.module.ancestors(one.node)]
    if any(node is fn.node for node in around):
        return True
    outer = [n for n in fn.module.ancestors(fn.node) if isinstance(n, _SCOPES)]
    shared = any(node is scope for node in around for scope in outer)
    return shared and name in outer_names(fn)


def _functions_at(fn: Function, node: ast.AST) -> Iterator[FunctionValue]:
    """The project's functions that a name stands for, or that a call reaches."""
    match node:
        case ast.Name(ctx=ast.Load()):
            found = fn.value(node)
            values = alternatives(found) if found is not None else ()
        case ast.Call():
            values = tuple(fn.callees(node))
        case _:
            return
    for value in values:
        if (function := underlying(value)) is not None:
            yield function
