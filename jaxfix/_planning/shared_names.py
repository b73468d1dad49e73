"""Names that have to stay other names of an array, since a store is seen in both.

`b = a if c else a * 2` may be `a` itself, and NumPy shows a store into `b` in `a` then.
What `jnp.where` gives is an array of its own: after it nobody could tell any more.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from jaxfix._analysis import arrays, build
from jaxfix._analysis.call_sites import call_sites, callers
from jaxfix._analysis.definitions import loads, statement_of
from jaxfix._analysis.facts import Function
from jaxfix._analysis.finding import CannotFix
from jaxfix._analysis.objects import TransformedValue
from jaxfix._analysis.scopes import mutations, parameter_names
from jaxfix._analysis.values import Dict, Seq, alternatives

from .aliases import (
    in_one_loop,
    is_seen_elsewhere,
    line_of,
    names_bound,
    read_after,
)
from .kept_arrays import root_of_store
from .stores import array_targets, check_aliases, walk_stores
from .views import viewed, viewed_by


def shared_name(fn: Function, block: Sequence[ast.AST]) -> str | None:
    """A name that a block makes another one of an array, and that has to stay it.

    The name may be that of a caller, for what the block returns.
    """
    return _bound_name(fn, block) or _result_name(fn, block)


def _result_name(fn: Function, block: Sequence[ast.AST]) -> str | None:
    """The name that a caller gives to an argument which a block gives back."""
    if isinstance(fn.node, ast.Module):
        return None
    given = frozenset(parameter_names(fn.node))
    returned = [n for part in block for n in ast.walk(part)]
    if not any(
        isinstance(n, ast.Return)
        and n.value is not None
        and viewed(fn, n.value) & given
        for n in map(build.source_of, returned)
    ):
        return None
    for site in call_sites(fn.facts, fn.node):
        if site.node is None or isinstance(site.callee, TransformedValue):
            continue  # a transform gives new arrays
        for caller in callers(fn.facts, site):
            stmt = statement_of(caller, site.node)
            name = _bound_name(caller, [stmt]) if stmt is not None else None
            if name is not None:
                return name
    return None


def _bound_name(fn: Function, block: Sequence[ast.AST]) -> str | None:
    inside = {id(build.source_of(n)) for part in block for n in ast.walk(part)}
    for bound in names_bound(fn):
        if id(bound) not in inside:
            continue
        others = viewed_by(fn, bound) - {bound.id}
        names = {bound.id, *others}
        if others and (_is_stored_into(fn, names) or _changes(fn, bound, names)):
            return bound.id
    return None


def shared_container(fn: Function, block: Sequence[ast.AST]) -> str | None:
    """A name that a block may bind anew, and that is a list or dict with another name.

    In `m = l`, and `m = [1.0]` in a branch, a store into `l` after it is one into `m`
    if the branch is not taken.
    """
    inside = {id(build.source_of(n)) for part in block for n in ast.walk(part)}
    bound = {n.id: line_of(n) for n in names_bound(fn) if id(n) in inside}
    for stmt in fn.walk():
        match stmt:
            case ast.Assign(targets=[ast.Name(id=one)], value=ast.Name(id=other)):
                first = next((n for n in (one, other) if n in bound), None)
            case _:
                continue
        if first is None or id(stmt) in inside or not _is_container(fn, stmt.value):
            continue
        changes = [
            place
            for node in fn.walk()
            if isinstance(node, ast.stmt) and id(node) not in inside
            for name, place in mutations([node])
            if name in (one, other)
        ]
        if any(line_of(place) > bound[first] for place in changes):
            return first
    return None


def _is_container(fn: Function, node: ast.expr) -> bool:
    known = fn.value(node)
    return any(
        isinstance(o, Dict) or (isinstance(o, Seq) and o.kind == "list")
        for o in (alternatives(known) if known is not None else ())
    )


def check_choice(fn: Function, node: ast.IfExp) -> None:
    """See to it that no name of a choice between arrays has to be one of theirs.

    Raises:
      CannotFix: it has to.
    """
    stmt = statement_of(fn, node)
    if stmt is not None and (name := shared_name(fn, [stmt])) is not None:
        raise CannotFix(f"`{name}` is another name of an array that is stored into")


def _changes(fn: Function, bound: ast.Name, names: set[str]) -> bool:
    """Does NumPy's array change under one name, and is read by another one then?"""
    first = statement_of(fn, bound)
    for node in fn.walk():
        root = root_of_store(fn, node)
        if root not in names or not _is_numpy(fn, root):
            continue
        stmt = node if isinstance(node, ast.stmt) else statement_of(fn, node)
        if first is None or stmt is None:
            continue
        is_later = line_of(first) < line_of(stmt) or in_one_loop(fn, first, stmt)
        if is_later and any(read_after(fn, stmt, name) for name in names - {root}):
            return True
    return False


def _is_numpy(fn: Function, name: str) -> bool:
    return any(arrays.is_host_array(fn.value(use)) for use in loads(fn, name))


def _is_stored_into(fn: Function, names: set[str]) -> bool:
    """Does a store into one of the arrays show in another name of it?"""
    for stmt in walk_stores(fn):
        for target in array_targets(fn, stmt):
            base = target.value
            if isinstance(base, ast.Name) and base.id in names:
                try:
                    check_aliases(fn, stmt, base.id)
                except CannotFix:
                    return True
    return any(
        isinstance(node, ast.AugAssign)
        and isinstance(node.target, ast.Name)
        and node.target.id in names
        and is_seen_elsewhere(fn, node)
        for node in fn.walk()
    )
