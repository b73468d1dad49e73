"""Whose methods a call runs: of the object of the method around it, or of its parts."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from .changes import is_first_parameter
from .objects import FunctionNode


def runs_own(outer: FunctionNode, call: ast.expr, method: FunctionNode) -> bool:
    """May a call run a method of the first parameter, or of an object in it?

    `self.step(x)`, `self.encoder.step(x)`, `lax.scan(self.step, ...)`, `step(x)` behind
    `step = partial(self.step, 2)`, and `layer.step(x)` in `for layer in self.layers`.
    """
    return any(_is_held(outer, name) for name in receivers(outer, call, method))


def receivers(
    outer: FunctionNode, call: ast.expr, method: FunctionNode
) -> Iterator[str]:
    """The variables whose method a call may run, itself or as an argument."""
    return map(root_of, accesses(outer, call, method))


def accesses(
    outer: FunctionNode, call: ast.expr, method: FunctionNode
) -> Iterator[ast.expr]:
    """The expressions `a.parts[0].method` by which a call may get at the method."""
    yield call.func if isinstance(call, ast.Call) else call
    if not isinstance(call, ast.Call):
        return
    name = getattr(method, "name", "")
    is_named = isinstance(call.func, ast.Name)
    places = [outer] if is_named else [*call.args, *(k.value for k in call.keywords)]
    for place in places:
        for node in ast.walk(place):
            if isinstance(node, ast.Attribute) and node.attr == name:
                yield node


def root_of(method: ast.expr) -> str:
    """The variable `a` of `a.method` and `a.parts[0].method`; empty if none."""
    if not isinstance(method, ast.Attribute):
        return ""
    node = method.value
    while isinstance(node, ast.Attribute | ast.Subscript):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


def _is_held(outer: FunctionNode, name: str) -> bool:
    """Is a variable the first parameter, or does a loop take it out of that?"""
    if is_first_parameter(outer, name):
        return True
    for node in ast.walk(outer):
        if isinstance(node, ast.For | ast.comprehension):
            targets = {n.id for n in ast.walk(node.target) if isinstance(n, ast.Name)}
            if name in targets:
                return any(
                    isinstance(n, ast.Name) and is_first_parameter(outer, n.id)
                    for n in ast.walk(node.iter)
                )
    return False
