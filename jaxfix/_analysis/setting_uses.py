"""Where a function looks at a parameter that some call gives no array."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from .call_sites import Parameter
from .declarations import reached
from .demands import demand_of
from .origins import mentioned
from .transformed import underlying

if TYPE_CHECKING:
    from .facts import Facts, Function


def setting_at(fn: Function, node: ast.AST) -> Parameter | None:
    """The parameter, given a string or the like in some call, that a node looks at.

    A jit looks at those of its function at which nothing else does.
    """
    if not fn.facts.settings:
        return None
    if fn.under and (found := _seen_at(fn, node)) is not None:
        return found
    for root in fn.facts.roots_at.get(id(node), ()):
        inner = underlying(root.function)
        for one in sorted(fn.facts.unseen_settings, key=lambda p: p.name):
            if inner is not None and one.node is inner.node:
                return one
    return None


def _seen_at(fn: Function, node: ast.AST) -> Parameter | None:
    for part in _looked_at(fn, node):
        found = reached(fn.facts, mentioned(fn, part))
        known = [one for one in fn.facts.settings if one in found]
        if known:
            return known[0]
    return None


def unseen_settings(facts: Facts) -> frozenset[Parameter]:
    """Such parameters at which no function looks: they are read, or handed on."""
    if not facts.settings:
        return frozenset()
    seen = {
        _seen_at(fn, node)
        for module in facts.project.in_scope()
        for fn in facts.functions(module)
        if fn.under
        for node in fn.walk()
    }
    return frozenset(facts.settings.keys() - seen)


def _looked_at(fn: Function, node: ast.AST) -> tuple[ast.expr, ...]:
    """The parts of a node that a string, a function or a member of an enum may be.

    Of an object, the attributes that must be known.
    """
    match node:
        case ast.If(test=test) | ast.While(test=test) | ast.IfExp(test=test):
            parent = fn.module.parent(node)
            is_elif = isinstance(parent, ast.If) and parent.orelse == [node]
            return () if is_elif else (test,)
        case ast.Match(subject=subject):
            return (subject,)
        case ast.For():
            return _attributes(fn, node)
        case ast.Subscript(slice=key) if not fn.traced(node.value):
            return (key,)
        case ast.Call(func=ast.Name() as func) if fn.library(node) is None:
            return (func,) if func.id in _parameter_names(fn) else ()
        case ast.Call() if fn.calls_library(node):
            given = [*node.args, *(k.value for k in node.keywords)]
            names = tuple(a for a in given if isinstance(a, ast.Name))
            return (*names, *_attributes(fn, node))
        case _:
            return ()


def _attributes(fn: Function, node: ast.AST) -> tuple[ast.expr, ...]:
    demand = demand_of(fn, node)
    parts = demand.parts if demand is not None else ()
    return tuple(
        part
        for part in parts
        if any(isinstance(inner, ast.Attribute) for inner in ast.walk(part))
    )


def _parameter_names(fn: Function) -> tuple[str, ...]:
    spec = getattr(fn.node, "args", None)
    if spec is None:
        return ()
    return tuple(a.arg for a in (*spec.posonlyargs, *spec.args, *spec.kwonlyargs))
