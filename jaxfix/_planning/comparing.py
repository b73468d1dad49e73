"""Calls that compare the elements of a list: `xs.count(v)`, `reduce(max, xs)`, heaps.

Python asks for the truth of each comparison; arrays compare at once.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass

from jaxfix._analysis import arrays, build
from jaxfix._analysis.facts import Function
from jaxfix._analysis.finding import CannotFix, Evidence
from jaxfix._analysis.objects import MethodValue
from jaxfix._analysis.values import (
    Array,
    Dict,
    Lib,
    Seq,
    alternatives,
    element,
    holds_tracer,
)

from .folds import array_of

Spell = Callable[[str], str]

# What asks for the hash of each element, which a tracer has not.
HASHING = frozenset(["set", "frozenset", "collections.Counter"])
NO_HASH = (
    "a tracer has no hash; `jnp.unique` with a static `size=` is the set of an array"
)
METHODS = frozenset(["count", "index", "remove", "sort"])
SEARCHES = {
    "bisect.bisect": "right",
    "bisect.bisect_right": "right",
    "bisect.bisect_left": "left",
}
INSERTIONS = frozenset(
    f"bisect.{name}" for name in ("insort", "insort_left", "insort_right")
)
HEAPS = frozenset(
    f"heapq.{name}"
    for name in (
        *("heapify", "heappush", "heappop", "heappushpop", "heapreplace"),
        *("merge", "nlargest", "nsmallest"),
    )
)
# Functions that put another between the elements, and what stands for that.
REDUCTIONS = frozenset(
    ["functools.reduce", "jax.tree.reduce", "jax.tree_util.tree_reduce"]
)
LARGER = {Lib("max"): "maximum", Lib("min"): "minimum"}


@dataclass(frozen=True, slots=True)
class Comparison:
    """Such a call. `name`: `"count"`, `"bisect.bisect_left"`; `items`: the list."""

    name: str
    node: ast.Call
    items: ast.expr
    because: tuple[Evidence, ...]


def comparison(fn: Function, node: ast.Call) -> Comparison | None:
    """The comparison of tracers that a call is."""
    name = fn.library(node) or ""
    if name in SEARCHES or name in INSERTIONS:
        if len(node.args) < 2:
            return None
        items, sought = node.args[0], node.args[1:2]
    elif name in HEAPS and node.args:
        number = name in ("heapq.nlargest", "heapq.nsmallest")
        items, sought = node.args[-1 if number else 0], node.args[1:2]
    elif name in REDUCTIONS and len(node.args) > 1:
        function = fn.value(node.args[0])
        if not isinstance(function, Lib) or function not in LARGER:
            return None
        items, sought = node.args[1], node.args[2:]
    elif name in HASHING and node.args:
        items, sought = node.args[0], []
        if not _holds_tracers(fn, items):
            return None
    elif (method := _list_method(fn, node)) is not None:
        items, name = method
        sought = node.args[:1]
    else:
        return None
    for part in (items, *sought):
        because = arrays.traced_inside(fn, part)
        if not because and isinstance(tree := fn.value(part), Dict):
            because = arrays.evidence(fn, part, holds_tracer(tree))
        if because:
            return Comparison(name, node, items, because)
    return None


Display = ast.Set | ast.SetComp | ast.Dict | ast.DictComp


def hashed(fn: Function, node: Display) -> tuple[Evidence, ...]:
    """Why an element of a set that is written out, or a key of a dict, has no hash.

    In `x in {y, 1}` no set is left once the comparison is one of arrays.
    """
    parent = fn.module.parent(node)
    if isinstance(parent, ast.Compare) and fn.tracer(parent) is not None:
        return ()
    match node:
        case ast.Set(elts=elements):
            parts = [*elements]
        case ast.Dict(keys=keys):
            parts = [key for key in keys if key is not None]
        case ast.SetComp(elt=element) | ast.DictComp(key=element):
            parts = [element]
    return next((b for e in parts if (b := arrays.traced(fn, e))), ())


def _holds_tracers(fn: Function, items: ast.expr) -> bool:
    """Are the elements tracers? Those of an argument may be the keys of a dict."""
    known = fn.value(items)
    if isinstance(known, Array):
        return not known.tree and bool(fn.traced(items))
    return isinstance(known, Seq) and holds_tracer(known) is not None


def _list_method(fn: Function, node: ast.Call) -> tuple[ast.expr, str] | None:
    """A method of a list that compares its elements: the list, and the name."""
    if not isinstance(node.func, ast.Attribute) or node.func.attr not in METHODS:
        return None
    callees = fn.callees(node)
    options = [o for callee in callees for o in alternatives(callee)]
    if not options or not all(
        isinstance(o, MethodValue)
        and isinstance(o.receiver, Seq)
        and o.receiver.kind in ("list", "tuple")
        for o in options
    ):
        return None
    items = node.func.value
    if node.func.attr == "sort":
        known = fn.value(items)
        is_keyed = any(k.arg != "reverse" for k in node.keywords)
        if is_keyed or not isinstance(known, Seq) or holds_tracer(known) is None:
            return None
    elif len(node.args) != 1 or node.keywords:
        return None
    return items, node.func.attr


def as_arrays(fn: Function, one: Comparison, spell: Spell) -> ast.expr:
    """The same as an operation on arrays.

    Raises:
      CannotFix: there is none.
    """
    if one.name in SEARCHES and len(one.node.args) == 2 and not one.node.keywords:
        sought = one.node.args[1]
        made = build.call(
            spell("jax.numpy.searchsorted"), array_of(fn, one.items, spell), sought
        )
        if SEARCHES[one.name] == "right":
            made.keywords.append(ast.keyword("side", ast.Constant("right")))
        return made
    if one.name in REDUCTIONS:
        return _reduced(fn, one, spell)
    if one.name == "count" and arrays.is_scalar(fn.value(one.node.args[0])):
        items = array_of(fn, one.items, spell)
        same = ast.Compare(items, [ast.Eq()], [one.node.args[0]])
        return build.call(spell("jax.numpy.count_nonzero"), same)
    if one.name == "index":
        raise CannotFix(
            "it raises where there is none; `jnp.argmax(xs == value)` is its place"
        )
    if one.name in HASHING:
        raise CannotFix(NO_HASH)
    if one.name in HEAPS:
        raise CannotFix("use `jnp.sort`, `jnp.argmin` or `lax.top_k` on an array")
    raise CannotFix("how the list changes depends on the data")


def _reduced(fn: Function, one: Comparison, spell: Spell) -> ast.expr:
    """`reduce(max, xs)` as `reduce(jnp.maximum, xs)`."""
    known = fn.value(one.items)
    if isinstance(known, Seq) and isinstance(element(known), Seq):
        raise CannotFix("sequences are compared")
    function, *rest = one.node.args
    larger = fn.value(function)
    assert isinstance(larger, Lib), "it was found to be `max` or `min`"
    name = spell(f"jax.numpy.{LARGER[larger]}")
    return ast.Call(one.node.func, [build.load(name), *rest], one.node.keywords)


__all__ = [
    "NO_HASH",
    "Comparison",
    "Display",
    "as_arrays",
    "comparison",
    "hashed",
]
