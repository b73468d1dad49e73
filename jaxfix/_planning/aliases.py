"""Other names of arrays: what changes one of NumPy's in place changes it for all."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from jaxfix._analysis import arrays, build
from jaxfix._analysis.call_sites import callers, given_arguments
from jaxfix._analysis.definitions import bindings, loads, statement_of
from jaxfix._analysis.facts import Function
from jaxfix._analysis.finding import Evidence
from jaxfix._analysis.jax_api import is_dtype
from jaxfix._analysis.objects import TransformedValue
from jaxfix._analysis.scopes import parameter_names

from .views import VIEWS, viewed_by


def read_after(fn: Function, stmt: ast.stmt, name: str) -> bool:
    return any(
        line_of(use) > line_of(stmt) or in_one_loop(fn, use, stmt)
        for use in loads(fn, name)
        if not any(use is inner for inner in ast.walk(stmt))
    )


def names_bound(fn: Function) -> list[ast.Name]:
    """All places in the function where a variable is bound."""
    return [
        node
        for node in fn.walk()
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    ]


def line_of(node: ast.AST) -> tuple[int, int]:
    return getattr(node, "lineno", 0), getattr(node, "col_offset", 0)


def in_one_loop(fn: Function, a: ast.AST, b: ast.AST) -> bool:
    loops = (ast.For, ast.While)
    around = {id(o) for o in fn.module.ancestors(a) if isinstance(o, loops)}
    return any(id(o) in around for o in fn.module.ancestors(b))


def hidden_store(fn: Function, stmt: ast.AugAssign) -> tuple[Evidence, ...]:
    """Why `y += ...` changes an array in place outside of a trace: it is NumPy's.

    Under a transform `y` becomes a new array, and who has the old one sees no change.
    """
    because = arrays.traced(fn, stmt.target)
    return because if because and is_seen_elsewhere(fn, stmt) else ()


def shared_store(fn: Function, block: Sequence[ast.stmt]) -> ast.AugAssign | None:
    """The first `y += ...` in a block that changes an array which is seen elsewhere."""
    for stmt in block:
        for node in ast.walk(stmt):
            source = build.source_of(node)
            if isinstance(source, ast.AugAssign) and is_seen_elsewhere(fn, source):
                return source
    return None


def is_seen_elsewhere(fn: Function, stmt: ast.AugAssign) -> bool:
    """Does `y += ...` change an array of NumPy that is read by another name afterwards?

    `y` is another name or a view of such an array, or of an argument that some caller
    gives as one; or it is the argument of a helper whose caller goes on with the array.
    """
    if not isinstance(stmt.target, ast.Name) or isinstance(fn.node, ast.Module):
        return False
    name = stmt.target.id
    if is_argument_of_helper(fn, name):
        return True
    return any(
        read_after(fn, stmt, other) and _is_numpy_here(fn, other)
        for other in _other_names(fn, name) - {name}
    )


def _other_names(fn: Function, name: str) -> set[str]:
    """The names of arrays that `name` is, or is a view of, and the other way round."""
    found: set[str] = set()
    for bound in names_bound(fn):
        arrays_of = viewed_by(fn, bound)
        if bound.id == name:
            found |= arrays_of
        elif name in arrays_of:
            found.add(bound.id)
    return found


def _is_numpy_here(fn: Function, name: str, depth: int = 3) -> bool:
    """Is it a NumPy array, or an argument for which a caller gives one, or a copy?"""
    assert not isinstance(fn.node, ast.Module), "a module has no parameters"
    if name in parameter_names(fn.node) and is_given_numpy(fn, name):
        return True
    return any(
        arrays.is_host_array(arrays.value(fn, source)) or _copies(fn, source, depth)
        for source in fn.definitions.get(name) or ()
        if not _is_number(fn, source)
    )


def _is_number(fn: Function, source: ast.AST) -> bool:
    """Is it `np.uint32(7)`? A number of NumPy's never changes in place."""
    match source:
        case ast.Call(args=[ast.Constant()]):
            return is_dtype(arrays.library(fn, source) or "") is not None
        case _:
            return False


def _copies(fn: Function, source: ast.AST, depth: int) -> bool:
    """Does an expression copy an array of NumPy, or give a view of it?"""
    match source:
        case ast.Name(id=name):
            return depth > 0 and _is_numpy_here(fn, name, depth - 1)
        case ast.Subscript(value=base):
            return _copies(fn, base, depth)
        case ast.Call(args=args) if (arrays.library(fn, source) or "").startswith(
            "numpy."
        ):
            return any(_copies(fn, arg, depth) for arg in args)
        case ast.Call(func=ast.Attribute(value=base, attr=attr)) if attr in (
            *VIEWS,
            "copy",
            "astype",
        ):
            return _copies(fn, base, depth)
        case _:
            return False


def is_argument_of_helper(fn: Function, name: str) -> bool:
    """Is it a parameter that a call, a statement of its own, gives a NumPy array which
    is read after the call?"""
    assert not isinstance(fn.node, ast.Module), "a module has no parameters"
    rebound = [b for b in bindings(fn, name) if not _is_augmented(fn, b)]
    if name not in parameter_names(fn.node) or rebound:
        return False
    for site, given in given_arguments(fn.facts, fn.node, name):
        if isinstance(site.callee, TransformedValue) or site.node is None:
            continue
        for caller in callers(fn.facts, site):
            outer = statement_of(caller, site.node)
            if not (isinstance(outer, ast.Expr) and isinstance(given, ast.Name)):
                continue
            if read_after(caller, outer, given.id) and _is_numpy(caller, given):
                return True
    return False


def _is_augmented(fn: Function, bound: ast.AST) -> bool:
    return isinstance(fn.module.parent(bound), ast.AugAssign)


def _is_numpy(caller: Function, given: ast.Name) -> bool:
    """Is it NumPy's array, or is it one outside of the trace?"""
    if arrays.is_host_array(caller.value(given)):
        return True
    if isinstance(caller.node, ast.Module):
        return False
    is_parameter = given.id in parameter_names(caller.node)
    return is_parameter and is_given_numpy(caller, given.id)


def is_given_numpy(fn: Function, name: str) -> bool:
    """Does a caller in the project give a NumPy array for a parameter?"""
    tables = fn.facts.interpreter
    return any(
        arrays.is_host_array(known.get(id(given)))
        for _, given in given_arguments(fn.facts, fn.node, name)  # type: ignore[arg-type]
        for known in (tables.host, tables.traced)
    )
