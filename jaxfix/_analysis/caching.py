"""Functions whose results are kept: what stands in their caches."""

from __future__ import annotations

import ast

from .facts import Function
from .interpret import parameters
from .scopes import free_names, walk_scope
from .values import Array, Lib, holds_tracer

CACHES = frozenset({"functools.lru_cache", "functools.cache"})


def decorator(fn: Function) -> ast.expr | None:
    """The decorator that caches a function's results."""
    for one in getattr(fn.node, "decorator_list", ()):
        callee = one.func if isinstance(one, ast.Call) else one
        value = fn.host_value(callee) or fn.value(callee)
        if isinstance(value, Lib) and value.name in CACHES:
            return callee
    return None


def kept_tracer(fn: Function) -> Array | None:
    """A tracer in what the function returns under a trace."""
    if id(fn.node) not in fn.facts.interpreter.staged:
        return None
    for node in fn.walk():
        if isinstance(node, ast.Return) and node.value is not None:
            value = fn.value(node.value)
            found = holds_tracer(value) if value is not None else None
            if found is not None and not found.assumed:
                return found
    return None


def needs_tracers(fn: Function) -> str | None:
    """Why the results cannot be computed while tracing; None if they can."""
    assert isinstance(fn.node, ast.FunctionDef), "a function with decorators"
    for arg in parameters(fn.node):
        value = fn.value(arg)
        if value is None or holds_tracer(value) is not None:
            return f"`{arg.arg}` may be traced where it is called"
    outer = set(free_names(fn.node))
    for node in walk_scope(fn.node.body):
        if not isinstance(node, ast.Name) or node.id not in outer:
            continue
        value = fn.value(node)
        if value is not None and holds_tracer(value) is not None:
            return f"it reads `{node.id}`, which is traced, from the function around it"
    return None
