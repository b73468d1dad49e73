"""Functions that are made anew each time they are jitted, and so compiled anew.

Programs are kept by the identity of the function: a lambda, a partial, a bound method
or what `jax.grad` returns there is a new one at each evaluation.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .call_sites import call_sites, callers
from .declarations import DECLARING
from .objects import BoundValue, FunctionValue, TransformedValue
from .origins import owner_of
from .scopes import reads
from .static_uses import bound_by, loops_around, value_of
from .transform_names import GRAD, VMAP
from .values import Const, alternatives

if TYPE_CHECKING:
    from .facts import Function


@dataclass(frozen=True, slots=True)
class Rejit:
    """A jit of a fresh function, whose result is only called.

    `calls` are the calls of the result; `variable` the assignment, if there is one.
    `loops` are those around it; `captured` the local variables that it depends on.
    """

    node: ast.Call
    function: ast.expr
    calls: tuple[ast.Call, ...]
    variable: ast.Assign | None
    loops: tuple[ast.AST, ...]
    captured: tuple[str, ...]
    kind: str  # "lambda", "partial", "method", "transform"


def rejit_at(fn: Function, node: ast.Call) -> Rejit | None:
    """A jit that compiles again and again, if the call is one."""
    if id(node) not in fn.facts.roots_at or not node.args:
        return None
    if isinstance(fn.node, ast.Module) and not loops_around(fn, node):
        return None
    if fn.under and not fn.on_host:
        return None
    function = node.args[0]
    kind = kind_of(fn, function)
    uses = uses_of(fn, node)
    if kind is None or uses is None:
        return None
    calls, variable = uses
    loops = loops_around(fn, node)
    if not loops and not runs_repeatedly(fn):
        return None
    captured = captures(fn, node)
    known = local_of(fn, function) if loops else None
    if any(
        is_callable(fn, name) for name in captured if kind != "method" and name != known
    ):
        return None
    return Rejit(node, function, calls, variable, tuple(loops), captured, kind)


def kind_of(fn: Function, function: ast.expr) -> str | None:
    """What makes the function a new one at each evaluation; None if it is not."""
    if isinstance(function, ast.Lambda):
        return "lambda"
    options = alternatives(value_of(fn, function) or Const(None))
    if isinstance(function, ast.Attribute):
        return "method" if all(isinstance(o, BoundValue) for o in options) else None
    if not isinstance(function, ast.Call):
        return None
    if fn.library(function) == "functools.partial":
        return "partial"
    if all(
        isinstance(o, TransformedValue) and o.transform not in DECLARING
        for o in options
    ):
        first = function.args[0] if function.args else None
        inner = kind_of(fn, first) if first is not None else None
        return "method" if inner == "method" else "transform"
    return None


def local_of(fn: Function, function: ast.expr) -> str | None:
    """The `f` of `jax.grad(f)`, if it is a function that `fn` defines."""
    while isinstance(function, ast.Call) and function.args:
        function = function.args[0]
    if isinstance(function, ast.Name) and local_function(fn, function.id):
        return function.id
    return None


def local_function(fn: Function, name: str) -> bool:
    """Does `fn` define a function of the name, in one place?"""
    made = [
        node
        for node in ast.walk(fn.node)
        if isinstance(node, ast.FunctionDef) and node.name == name
    ]
    return len(made) == 1


def uses_of(
    fn: Function, node: ast.Call
) -> tuple[tuple[ast.Call, ...], ast.Assign | None] | None:
    """The calls of what a jit gives; None if it is used in another way too.

    None of them are its own where a transform takes it: `jax.vmap(jax.jit(f))(xs)`.
    """
    parent = fn.module.parent(node)
    if isinstance(parent, ast.Call) and parent.func is node:
        return (parent,), None
    if isinstance(parent, ast.Call) and parent.args[:1] == [node]:
        is_called = fn.library(parent) in GRAD | VMAP and uses_of(fn, parent)
        return ((), None) if is_called else None
    if not isinstance(parent, ast.Assign) or len(parent.targets) != 1:
        return None
    target = parent.targets[0]
    if not isinstance(target, ast.Name) or isinstance(fn.node, ast.Module):
        return None
    calls: list[ast.Call] = []
    for use in ast.walk(fn.node):
        if isinstance(use, ast.Name) and use.id == target.id and use is not target:
            call = fn.module.parent(use)
            if not isinstance(call, ast.Call) or call.func is not use:
                return None
            calls.append(call)
    return (tuple(calls), parent) if calls else None


def runs_repeatedly(fn: Function, depth: int = 3) -> bool:
    """Is a function called in a loop, itself or one of its callers?"""
    if isinstance(fn.node, ast.Module):
        return False
    for site in call_sites(fn.facts, fn.node):
        for caller in callers(fn.facts, site):
            if caller is fn or (caller.under and not caller.on_host):
                continue
            if loops_around(caller, site.call.node):
                return True
            if depth and runs_repeatedly(caller, depth - 1):
                return True
    return False


def captures(fn: Function, node: ast.expr) -> tuple[str, ...]:
    """The local variables (of functions around it too) that an expression reads."""
    own = {
        a.arg
        for inner in ast.walk(node)
        if isinstance(inner, ast.Lambda)
        for a in ast.walk(inner.args)
        if isinstance(a, ast.arg)
    }
    at_once = {
        name
        for inner in ast.walk(node)
        if isinstance(inner, ast.Lambda)
        for default in (*inner.args.defaults, *inner.args.kw_defaults)
        if default is not None
        for name in reads(default)
    }
    return tuple(
        name
        for name in reads(node)
        if (name not in own or name in at_once) and owner_of(fn, name) is not None
    )


def is_callable(fn: Function, name: str) -> bool:
    """May a variable be a function? Then each one has a program with good reason."""
    for node in fn.walk():
        if isinstance(node, ast.Name) and node.id == name:
            value = value_of(fn, node)
            if value is not None and any(
                isinstance(o, FunctionValue | BoundValue | TransformedValue)
                for o in alternatives(value)
            ):
                return True
            parent = fn.module.parent(node)
            if isinstance(parent, ast.Call) and (
                parent.func is node or id(parent) in fn.facts.roots_at
            ):
                return True
    return False


def varies(rejit: Rejit, names: tuple[str, ...]) -> bool:
    """Does one of the names change in the loops?"""
    bound: set[str] = set()
    for loop in rejit.loops:
        bound |= bound_by(loop)
        for node in ast.walk(loop):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                bound.add(node.id)
            elif isinstance(node, ast.FunctionDef):
                bound.add(node.name)
    return bool(bound & set(names))
