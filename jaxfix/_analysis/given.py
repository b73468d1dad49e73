"""What a change gives a variable, or one item of what it holds, where it is written."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from .changes import Change
from .project import Module

# Calls that make an object of the keywords that they are given.
MAKERS = frozenset({"dict", "SimpleNamespace", "types.SimpleNamespace"})


def given_by(change: Change, path: Sequence[object]) -> list[ast.expr] | None:
    """The expressions that a change may put at a path of keys; None if not known."""
    if not path:
        value = bound_value(change.module, change.node) if change.rebinds else None
        return None if value is None else [value]
    if len(path) > 1:
        return None
    key = str(path[0]).strip(".") if isinstance(path[0], str) else path[0][0]  # type: ignore[index]
    match change.node:
        case ast.Call(func=ast.Attribute(attr="update")) as call:
            return updated(call, key)
        case ast.Subscript(slice=ast.Constant(value=one)) if one == key:
            value = bound_value(change.module, change.node)
            return None if value is None else [value]
        case ast.Attribute(attr=one) if one == key and not change.rebinds:
            value = bound_value(change.module, change.node)
            return None if value is None else [value]
        case ast.Name() if change.rebinds:
            made = bound_value(change.module, change.node)
            return item_of(made, key) if made is not None else None
        case _:
            return None


def updated(call: ast.Call, key: object) -> list[ast.expr] | None:
    """What `settings.update(...)` puts under a key: nothing, perhaps."""
    found: list[ast.expr] = []
    for argument in call.args:
        item = item_of(argument, key)
        if item is None:
            return None
        found += item
    for keyword in call.keywords:
        if keyword.arg is None:
            return None
        if keyword.arg == key:
            found.append(keyword.value)
    return found


def item_of(node: ast.expr, key: object) -> list[ast.expr] | None:
    """The item of an object that is written out: `{"norm": "l2"}`."""
    match node:
        case ast.Dict(keys=keys, values=values):
            if not all(isinstance(k, ast.Constant) for k in keys):
                return None
            pairs = zip(keys, values, strict=True)
            return [v for k, v in pairs if getattr(k, "value", None) == key]
        case ast.Call(func=func, args=[], keywords=keywords):
            if ast.unparse(func) not in MAKERS or any(k.arg is None for k in keywords):
                return None
            return [k.value for k in keywords if k.arg == key]
        case _:
            return None


def bound_value(module: Module, node: ast.AST) -> ast.expr | None:
    """The expression that an assignment gives its target, if it is written out."""
    parent = module.parent(node)
    match parent, module.parent(parent) if parent is not None else None:
        case ast.Assign(value=value), _:
            return value
        case ast.Tuple(elts=targets), ast.Assign(value=ast.Tuple(elts=values)):
            is_plain = len(targets) == len(values) and not any(
                isinstance(e, ast.Starred) for e in (*targets, *values)
            )
            places = [i for i, target in enumerate(targets) if target is node]
            return values[places[0]] if is_plain and places else None
        case _:
            return None
