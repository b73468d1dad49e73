"""NumPy arrays that a traced operation has read, and that change afterwards.

JAX takes a NumPy array into the program as it is, without a copy. If the function
stores into it later, the program computes with the last elements, not with those of
then (measured: jax 0.10 on CPU, arrays whose dtype JAX keeps).
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from jaxfix._analysis import arrays
from jaxfix._analysis.call_sites import callers, given_arguments
from jaxfix._analysis.definitions import statement_of
from jaxfix._analysis.facts import Function
from jaxfix._analysis.finding import Evidence
from jaxfix._analysis.indexing import STORING
from jaxfix._analysis.objects import FunctionValue, TransformedValue
from jaxfix._analysis.order import graph_of
from jaxfix._analysis.origins import STRUCTURAL_CALLS
from jaxfix._analysis.scopes import parameter_names

from .aliases import names_bound
from .views import VIEWS, is_view_index, viewed_by

# The methods by which an array of NumPy changes. Arrays of JAX have some of them, which
# leave the array as it is and give a new one.
CHANGING = frozenset(["fill", "itemset", "partition", "put", "resize", "sort"])

_DEPTH = 2


def why_kept(fn: Function, name: str, depth: int = _DEPTH) -> tuple[Evidence, ...]:
    """Which operation of the program reads an array that changes after it.

    The array may be the argument of a helper, whose caller reads it.
    """
    if isinstance(fn.node, ast.Module) or not fn.under:
        return ()
    names, fresh = _names_of(fn, name)
    reads = [read for read in _reads(fn) if read[1].id in names]
    if not reads:
        return _kept_by_caller(fn, name, depth) if depth else ()
    stores = [node for node in fn.walk() if _stored(fn, node, depth) & names]
    graph = graph_of(fn.node)
    for place, load, op in reads:
        for store in stores:
            if graph.follows(place, store, fresh):
                text = f"`{ast.unparse(op)}` takes `{load.id}` in without a copy"
                change = f"`{name}` is changed after that"
                return (
                    *fn.why_under(),
                    Evidence(fn.path, load.lineno, text),
                    Evidence(fn.path, getattr(store, "lineno", 1), change),
                )
    return _kept_by_caller(fn, name, depth) if depth else ()


def _kept_by_caller(fn: Function, name: str, depth: int) -> tuple[Evidence, ...]:
    assert not isinstance(fn.node, ast.Module), "a module has no callers"
    if name not in parameter_names(fn.node):
        return ()
    for site, given in given_arguments(fn.facts, fn.node, name):
        if isinstance(site.callee, TransformedValue) or not isinstance(given, ast.Name):
            continue
        for caller in callers(fn.facts, site):
            if because := why_kept(caller, given.id, depth - 1):
                return because
    return ()


def why_kept_by(fn: Function, stmt: ast.AugAssign) -> tuple[Evidence, ...]:
    """Why `p += ...` changes an array of NumPy that the program has taken in."""
    if not isinstance(stmt.target, ast.Name):
        return ()
    known = fn.facts.interpreter.traced.get(id(stmt.target))
    is_host = arrays.is_host_array(known)
    return why_kept(fn, stmt.target.id) if is_host else ()


def _names_of(fn: Function, name: str) -> tuple[frozenset[str], frozenset[int]]:
    """An array's name and those of its views; the statements that make a new array."""
    names, fresh = {name}, set()
    for bound in names_bound(fn):
        of = viewed_by(fn, bound)
        if name in of:
            names.add(bound.id)
        stmt = statement_of(fn, bound)
        if bound.id == name and not of and isinstance(stmt, ast.Assign):
            fresh.add(id(stmt))
    return frozenset(names), frozenset(fresh)


def _stored(fn: Function, node: ast.AST, depth: int) -> frozenset[str]:
    """The variables whose arrays a statement or a call changes in place."""
    if isinstance(node, ast.Call) and depth:
        return frozenset(_stored_by_call(fn, node, depth - 1))
    root = root_of_store(fn, node)
    return frozenset([root] if root else [])


def _stored_by_call(fn: Function, call: ast.Call, depth: int) -> Iterator[str]:
    for callee in fn.callees(call):
        inner = (
            fn.facts.function(callee.node)
            if isinstance(callee, FunctionValue)
            else None
        )
        if inner is None or isinstance(inner.node, ast.Module):
            continue
        stored: frozenset[str] = frozenset()
        for node in inner.walk():
            stored |= _stored(inner, node, depth)
        for name in stored.intersection(parameter_names(inner.node)):
            for site, given in given_arguments(fn.facts, inner.node, name):
                if site.node is call and isinstance(given, ast.Name):
                    yield given.id


def root_of_store(fn: Function, node: ast.AST) -> str:
    """The variable whose array a statement changes in place; empty if none."""
    match node:
        case ast.AugAssign(target=ast.Name(id=name)):
            return name
        case ast.Subscript(ctx=ast.Store(), value=base):
            while isinstance(base, ast.Subscript):
                base = base.value
            return base.id if isinstance(base, ast.Name) else ""
        case ast.Expr(
            value=ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr=attr))
        ) if attr in CHANGING:
            return name
        case ast.Expr(value=ast.Call(args=[ast.Name(id=name), *_]) as call) if (
            fn.library(call) in STORING
        ):
            return name
        case _:
            return ""


def _reads(fn: Function) -> Iterator[tuple[ast.AST, ast.Name, ast.AST]]:
    """The reads of NumPy's arrays by operations of the program.

    Each with the place where it happens: for a nested function that is its use.
    """
    for node in fn.walk():
        match node:
            case ast.Name(ctx=ast.Load()) if arrays.is_host_array(fn.value(node)):
                op = _operation(fn, node)
                if op is not None:
                    yield node, node, op
            case ast.FunctionDef() | ast.Lambda():
                inner = fn.facts.function(node)
                if inner is None:
                    continue
                for _, load, op in _reads(inner):
                    if load.id not in inner.variables:
                        for place in _uses(fn, node):
                            yield place, load, op


def _uses(fn: Function, node: ast.FunctionDef | ast.Lambda) -> list[ast.AST]:
    if isinstance(node, ast.Lambda):
        return [node]
    return [
        use
        for use in fn.walk()
        if isinstance(use, ast.Name)
        and use.id == node.name
        and isinstance(use.ctx, ast.Load)
    ]


def _operation(fn: Function, load: ast.Name) -> ast.AST | None:
    """The operation on tracers whose operand an array is, or a view of it."""
    node: ast.AST = load
    while (outer := _around_view(fn, node)) is not None:
        node = outer
    parent = fn.module.parent(node)
    while isinstance(parent, ast.List | ast.Tuple | ast.IfExp | ast.keyword):
        node, parent = parent, fn.module.parent(parent)
    match parent:
        case ast.BinOp() | ast.Compare() | ast.UnaryOp():
            return parent if fn.tracer(parent) is not None else None
        case ast.Call(func=func) if func is not node:
            name = fn.library(parent) or ""
            is_operation = name.startswith("jax.") and name not in STRUCTURAL_CALLS
            return parent if is_operation or fn.tracer(parent) is not None else None
        case (
            ast.Assign(targets=[ast.Subscript(value=target)], value=value)
            | ast.AugAssign(target=target, value=value)
        ) if value is node and fn.tracer(target) is not None:
            return parent
        case _:
            return None


def _around_view(fn: Function, node: ast.AST) -> ast.AST | None:
    """The expression that is a view of an array, by one step; None if it is none."""
    parent = fn.module.parent(node)
    match parent:
        case ast.Subscript(value=base, slice=index, ctx=ast.Load()) if base is node:
            is_number = arrays.rank(fn.value(parent)) == 0
            return None if is_number or not is_view_index(fn, index) else parent
        case ast.Attribute(attr="T" | "mT"):
            return parent
        case ast.Attribute(attr=attr) if attr in VIEWS:
            call = fn.module.parent(parent)
            return call if isinstance(call, ast.Call) else None
        case _:
            return None
