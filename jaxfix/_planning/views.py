"""Which arrays an expression is, or is a view of, where nothing is traced.

NumPy shows a store into an array in all its views. JAX has none: `x[i]` is an array of
its own there, and what reads the other name sees the old elements.
"""

from __future__ import annotations

import ast

from jaxfix._analysis import arrays
from jaxfix._analysis.call_sites import given_arguments
from jaxfix._analysis.definitions import loads
from jaxfix._analysis.facts import Function
from jaxfix._analysis.objects import FunctionValue
from jaxfix._analysis.scopes import parameter_names

VIEWS = frozenset(
    ["reshape", "ravel", "transpose", "squeeze", "swapaxes", "view", "diagonal"]
)
# Functions that give their argument, or views of it.
_VIEWING = VIEWS | frozenset(
    [
        "array_split",
        "asanyarray",
        "asarray",
        "ascontiguousarray",
        "asfortranarray",
        "atleast_1d",
        "atleast_2d",
        "atleast_3d",
        "broadcast_arrays",
        "broadcast_to",
        "dsplit",
        "expand_dims",
        "flip",
        "fliplr",
        "flipud",
        "hsplit",
        "imag",
        "matrix_transpose",
        "moveaxis",
        "permute_dims",
        "real",
        "require",
        "rollaxis",
        "rot90",
        "split",
        "unstack",
        "vsplit",
    ]
)
# What copies its argument unless it is told not to, and what gives items of its own.
_COPYING = frozenset(["array", "astype", "nan_to_num"])
_CHOOSING = frozenset(["next", "max", "min"])
# What runs over the items of its arguments.
_RUNNERS = frozenset(["enumerate", "zip", "reversed", "iter", "list", "tuple"])
_DEPTH = 3


def viewed(fn: Function, value: ast.expr, depth: int = _DEPTH) -> frozenset[str]:
    """The names of the arrays that an expression may be, or be a view of."""
    match value:
        case ast.Name(id=name):
            is_array = arrays.is_array(arrays.value(fn, value))
            return frozenset([name]) if is_array else frozenset()
        case ast.NamedExpr(target=target, value=inner):
            return viewed(fn, target, depth) | viewed(fn, inner, depth)
        case ast.IfExp(body=body, orelse=orelse):
            return viewed(fn, body, depth) | viewed(fn, orelse, depth)
        case ast.BoolOp(values=values):
            return frozenset().union(*(viewed(fn, part, depth) for part in values))
        case ast.Attribute(value=base, attr="T" | "mT" | "real" | "imag"):
            return viewed(fn, base, depth)
        case ast.Subscript(value=base, slice=index):
            if not is_view_index(fn, index):
                return frozenset()
            if arrays.rank(arrays.value(fn, value)) == 0:
                return frozenset()  # an element is a number of its own
            return viewed(fn, base, depth) | _viewed_items(fn, base, depth)
        case ast.Call(args=args, func=function):
            name = arrays.library(fn, value) or ""
            library, _, last = name.rpartition(".")
            is_array_call = library in ("numpy", "jax.numpy")
            if is_array_call and (
                last in _VIEWING or (last in _COPYING and _is_kept(value))
            ):
                return frozenset().union(*(viewed(fn, arg, depth) for arg in args))
            if name in _CHOOSING:
                return frozenset().union(*(_viewed_items(fn, a, depth) for a in args))
            if isinstance(function, ast.Attribute) and not name:
                attr = function.attr
                if attr in VIEWS or (attr in _COPYING and _is_kept(value)):
                    return viewed(fn, function.value, depth)
            if depth and args:
                return _given_back(fn, value, depth - 1)
    return frozenset()


def _is_kept(call: ast.Call) -> bool:
    """Is the argument not copied? `copy=False` says so."""
    return any(
        isinstance(k.value, ast.Constant) and not k.value.value
        for k in call.keywords
        if k.arg == "copy"
    )


def _viewed_items(fn: Function, node: ast.expr, depth: int) -> frozenset[str]:
    """The names of the arrays that an item of a display may be, or be a view of."""
    match node:
        case ast.List(elts=items) | ast.Tuple(elts=items) | ast.Dict(values=items):
            return frozenset().union(*(viewed(fn, item, depth) for item in items))
        case ast.Call(args=args, keywords=keywords) if arrays.library(fn, node) in (
            *_RUNNERS,
            "dict",
            "sorted",
        ):
            values = [k.value for k in keywords]
            inner = [viewed(fn, value, depth) for value in (*args, *values)]
            inner += [_viewed_items(fn, arg, depth) for arg in args]
            return frozenset().union(*inner)
        case _:
            return frozenset()


def viewed_by(fn: Function, bound: ast.Name) -> frozenset[str]:
    """The names of the arrays that a variable may be, or be a view of, once bound."""
    whole: ast.AST = bound
    path: list[int] = []
    holder = fn.module.parent(whole)
    while isinstance(holder, ast.Tuple | ast.List):
        path.append(next(i for i, e in enumerate(holder.elts) if e is whole))
        whole, holder = holder, fn.module.parent(holder)
    match holder:
        case ast.NamedExpr(value=value):
            return viewed(fn, value)
        case ast.For(target=target, iter=value) if target is whole:
            return frozenset() if _is_number(fn, bound) else _run_over(fn, value)
        case ast.Assign(targets=[_, _, *_] as targets, value=value) if not path:
            others = frozenset(t.id for t in targets if isinstance(t, ast.Name))
            known = arrays.value(fn, value)
            is_one = arrays.is_array(known) and arrays.rank(known) != 0
            return viewed(fn, value) | (others if is_one else frozenset())
        case ast.Assign(value=value):
            while path and isinstance(value, ast.Tuple | ast.List):
                place = path.pop()
                if any(isinstance(e, ast.Starred) for e in value.elts[: place + 1]):
                    return frozenset()
                value = value.elts[place]
            if path and _is_number(fn, bound):
                return frozenset()
            return viewed(fn, value)
    return frozenset()


def is_view_index(fn: Function, index: ast.expr) -> bool:
    """May `x[index]` be a view of `x`?"""
    return all(_is_basic(fn, part) for part in parts_of(index))


def parts_of(index: ast.expr) -> list[ast.expr]:
    return index.elts if isinstance(index, ast.Tuple) else [index]


def _is_basic(fn: Function, part: ast.expr) -> bool:
    """May it be an index that gives a view: a slice, or one integer?

    A tracer that is one integer is Python's or NumPy's where nothing is traced.
    """
    if isinstance(part, ast.Slice):
        return True
    if isinstance(part, ast.List):
        return False
    if fn.static(part):
        return True
    known = arrays.value(fn, part)
    return arrays.rank(known) in (0, None) and arrays.kind(known) != "b"


def _is_number(fn: Function, bound: ast.Name) -> bool:
    """Is the variable a number wherever it is read, as an element of a vector is?"""
    known = [arrays.value(fn, use) for use in loads(fn, bound.id)]
    return all(arrays.rank(one) == 0 for one in known)


def _run_over(fn: Function, value: ast.expr) -> frozenset[str]:
    """The arrays whose rows an iterable gives."""
    if isinstance(value, ast.Call) and arrays.library(fn, value) in _RUNNERS:
        return frozenset().union(*(_run_over(fn, arg) for arg in value.args))
    return viewed(fn, value)


def _given_back(fn: Function, call: ast.Call, depth: int) -> frozenset[str]:
    """The arguments that a function of the project returns, or a view of them."""
    found: frozenset[str] = frozenset()
    for callee in fn.callees(call):
        if not isinstance(callee, FunctionValue):
            continue
        inner = fn.facts.function(callee.node)
        if inner is None:
            continue
        names: frozenset[str] = frozenset()
        if isinstance(callee.node, ast.Lambda):
            names = viewed(inner, callee.node.body, depth)
        for node in inner.walk():
            if isinstance(node, ast.Return) and node.value is not None:
                names |= viewed(inner, node.value, depth)
        for name in names.intersection(parameter_names(callee.node)):
            for site, given in given_arguments(fn.facts, callee.node, name):
                if site.node is call:
                    found |= viewed(fn, given, depth)
    return found
