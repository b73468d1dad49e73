"""What is known of the sign of an integer: a negative one counts from the end."""

from __future__ import annotations

import ast

from jaxfix._analysis import arrays
from jaxfix._analysis.call_sites import Unclear, argument, call_sites, callers
from jaxfix._analysis.definitions import bindings, resolved
from jaxfix._analysis.facts import Function
from jaxfix._analysis.scopes import parameter_names, writes
from jaxfix._analysis.values import Array, Const

NONNEGATIVE = frozenset(
    f"jax.numpy.{n}"
    for n in [
        "argmax",
        "argmin",
        "count_nonzero",
        "abs",
        "square",
        "searchsorted",
        "bitwise_count",
    ]
)


def nonnegative(fn: Function, node: ast.expr) -> bool:
    """Is an integer certainly at least 0?"""
    node = resolved(fn, node)
    known = fn.value(node)
    if isinstance(known, Const):
        return isinstance(known.value, int) and known.value >= 0
    if isinstance(known, Array) and known.dtype is not None:
        if known.dtype.kind == "b":
            return True
        if known.dtype.strong and all(n.startswith("uint") for n in known.dtype.strong):
            return True
    match node:
        case ast.BinOp(left=left, op=ast.Add() | ast.Mult(), right=right):
            return nonnegative(fn, left) and nonnegative(fn, right)
        case ast.BinOp(op=ast.Mod(), right=right):
            return nonnegative(fn, right)
        case ast.BinOp(left=left, op=ast.FloorDiv(), right=right):
            return nonnegative(fn, left) and nonnegative(fn, right)
        case ast.Call(func=ast.Name(id="len")):
            return True
        case ast.Subscript(value=ast.Attribute(attr="shape")):
            return True
        case ast.Call(
            func=ast.Attribute(value=receiver, attr="sum" | "astype" | "max")
        ):
            return arrays.method(fn, node) is not None and nonnegative(fn, receiver)
        case ast.Call(args=[first, *rest]):
            name = arrays.library(fn, node)
            if name in NONNEGATIVE or name in ("len", "abs"):
                return True
            if name in ("jax.numpy.sum", "jax.numpy.max", "jax.numpy.min", "int"):
                return nonnegative(fn, first)
            if name == "jax.numpy.clip" and rest:
                return nonnegative(fn, rest[0])
            if name in ("jax.numpy.maximum", "max"):
                return any(nonnegative(fn, a) for a in (first, *rest))
            if name in ("jax.numpy.minimum", "min"):
                return all(nonnegative(fn, a) for a in (first, *rest))
        case ast.Name(id=name):
            return len(bindings(fn, name)) == 1 and _counts_up(fn, node)
    return False


def _counts_up(fn: Function, node: ast.Name) -> bool:
    """Is it the variable of a loop over `range(n)`, or from such a start upwards?"""
    for outer in fn.module.ancestors(node):
        match outer:
            case ast.For(
                target=ast.Name(id=name), iter=ast.Call(args=[first, *rest]) as source
            ) if name == node.id and fn.library(source) == "range":
                return not rest or all(
                    nonnegative(fn, part) for part in (first, *rest[1:])
                )
    return False


def negative(fn: Function, node: ast.expr, depth: int = 4) -> bool:
    """Is an integer negative, as it is written here or at a call that can be seen?"""
    node = resolved(fn, node)
    known = fn.value(node) or fn.host_value(node)
    if isinstance(known, Const):
        return isinstance(known.value, int) and known.value < 0
    match node:
        case ast.UnaryOp(op=ast.USub()):
            return True
        case ast.Name(id=name) if depth:
            return _runs_below_zero(fn, node) or any(
                negative(caller, given, depth - 1) for caller, given in _given(fn, name)
            )
    return False


def _runs_below_zero(fn: Function, node: ast.Name) -> bool:
    """Does a loop give the name what a display with a negative number holds?"""
    for outer in fn.module.ancestors(node):
        loops = [outer] if isinstance(outer, ast.For) else []
        for loop in getattr(outer, "generators", loops):
            if node.id in writes([loop.target]):
                found = _displays(fn, loop.iter)
                return any(_is_negative_number(n) for d in found for n in ast.walk(d))
    return False


def _displays(fn: Function, node: ast.expr) -> list[ast.expr]:
    if isinstance(node, ast.Name):
        return fn.definitions.get(node.id) or []
    return [node]


def _is_negative_number(node: ast.AST) -> bool:
    match node:
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int())):
            return True
        case _:
            return False


def _given(fn: Function, name: str) -> list[tuple[Function, ast.expr]]:
    """What calls that can be seen give for a name that is a parameter, and where."""
    if isinstance(fn.node, ast.Module) or name not in parameter_names(fn.node):
        return []
    found = []
    for site in call_sites(fn.facts, fn.node):
        try:
            given = argument(site, name)
        except Unclear:
            continue
        if given is not None:
            found += [(caller, given) for caller in callers(fn.facts, site)]
    return found
