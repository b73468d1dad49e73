"""Arrays from outside of a compiled program that become constants of it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from .arrays import library, size_in_bytes
from .call_sites import Site, Unclear, argument, call_sites
from .definitions import bindings, definition, loads
from .scopes import parameter_names
from .transformed import underlying
from .values import Array, holds_tracer

if TYPE_CHECKING:
    from .facts import Function

# Of these it is not known that they need the values of their arguments.
INDIRECT = (
    *(f"jax.numpy.{name}_like" for name in ("zeros", "ones", "empty", "full")),
    "jax.tree.",
    "jax.tree_util.",
)


def is_baked(fn: Function, node: ast.expr, least: int, depth: int = 3) -> bool:
    """Is an array, of at least so many bytes, certainly a constant of the program?

    It is if an operation of JAX needs it, or if the program returns it.
    """
    if (size_in_bytes(fn.value(node)) or 0) < least:
        return False
    operation = _operation(fn, node)
    if operation is not None:
        staged = _is_staged(fn, node, operation)
        return staged or is_baked(fn, operation, least, depth)
    if isinstance(_user(fn, node), ast.Return | ast.Lambda):
        return bool(fn.roots())
    return depth > 0 and any(
        is_baked(reader, read, least, depth - 1)
        for reader, read in _passed_on(fn, node)
    )


def _operation(fn: Function, node: ast.expr) -> ast.expr | None:
    """The expression that an operator, a method or a library computes of the node."""
    match fn.module.parent(node):
        case ast.BinOp() | ast.UnaryOp() | ast.Compare() as operation:
            return operation
        case ast.Subscript(value=base) as item if base is node:
            return item
        case ast.AugAssign(target=target):
            return target
        case ast.Attribute() as attribute:
            call = fn.module.parent(attribute)
            if isinstance(call, ast.Call) and call.func is attribute:
                return call
            return attribute
    user = _user(fn, node)
    if not isinstance(user, ast.Call) or not fn.calls_library(user):
        return None
    name = library(fn, user)
    return None if name is not None and name.startswith(INDIRECT) else user


def _user(fn: Function, node: ast.expr) -> ast.AST | None:
    """What gets the node, as it is or in a tuple, list or dict."""
    inside = ast.Tuple | ast.List | ast.Dict | ast.Starred | ast.keyword
    user = fn.module.parent(node)
    while isinstance(user, inside):
        user = fn.module.parent(user)
    return user


def _is_staged(fn: Function, node: ast.expr, operation: ast.expr) -> bool:
    """JAX stages all that it does; NumPy computes on, until it meets a tracer."""
    operand, result = fn.value(node), fn.value(operation)
    if result is not None and holds_tracer(result) is not None:
        return True
    if not isinstance(operand, Array) or not isinstance(result, Array):
        return False
    return not operand.host and not result.host


def _passed_on(fn: Function, node: ast.expr) -> Iterator[tuple[Function, ast.expr]]:
    """Where the array goes as it is: by a choice, to a variable, to a parameter."""
    match fn.module.parent(node):
        case ast.IfExp(test=test) as choice if test is not node:
            yield fn, choice
        case ast.Assign(targets=[ast.Name(id=name)]) as assignment:
            for use in loads(fn, name):
                found = definition(fn, use)
                if found is not None and found[0] is assignment:
                    yield fn, use
        case ast.Call() | ast.keyword():
            user = _user(fn, node)
            if isinstance(user, ast.Call):
                yield from _reads_in_callees(fn, user, node)


def _reads_in_callees(
    fn: Function, call: ast.Call, given: ast.expr
) -> Iterator[tuple[Function, ast.expr]]:
    """The reads of the parameters that get `given`, in functions of the project."""
    for value in filter(None, map(underlying, fn.callees(call))):
        callee = fn.facts.function(value.node)
        if callee is None:
            continue
        sites = [s for s in call_sites(fn.facts, value.node) if s.node is call]
        for name in parameter_names(value.node):
            if any(_gives(site, name, given) for site in sites):
                yield from ((callee, read) for read in _reads(callee, name))


def _gives(site: Site, name: str, given: ast.expr) -> bool:
    try:
        return argument(site, name) is given
    except Unclear:
        return False


def _reads(fn: Function, name: str) -> list[ast.Name]:
    """The reads of a parameter that is not bound anew; closures are left out."""
    if bindings(fn, name):
        return []
    return [n for n in fn.walk() if isinstance(n, ast.Name) and n.id == name]
