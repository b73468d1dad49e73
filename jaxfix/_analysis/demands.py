"""What a piece of code must know while JAX traces: shapes, axes, trip counts, tests."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .call_sites import Site, Unclear, argument
from .indexing import At
from .jax_api import lookup
from .objects import BoundValue, MethodValue, TransformedValue
from .polynomials import counted_range
from .texts import written
from .transformed import static_names
from .values import (
    SCALAR,
    Array,
    Const,
    Dict,
    Lib,
    Seq,
    Static,
    Value,
    alternatives,
    holds_tracer,
)

if TYPE_CHECKING:
    from .facts import Function

# Array methods all of whose arguments are a shape or axes.
SHAPE_METHODS = frozenset(["reshape", "transpose", "swapaxes", "squeeze"])
# Functions that hand on the elements of an iterable, and so its number.
ITERATING = frozenset(["zip", "enumerate", "reversed", "list", "tuple"])
# Functions that count, by the places of the numbers that they count to.
COUNTING = {
    "itertools.batched": (1,),
    "itertools.combinations": (1,),
    "itertools.combinations_with_replacement": (1,),
    "itertools.islice": (1, 2, 3),
    "itertools.permutations": (1,),
    "itertools.repeat": (1,),
}
# Functions one of whose arguments, an array else, may be the length of a range.
RANGES = {
    "jax.random.choice": "a",
    "jax.random.permutation": "x",
    "jax.numpy.histogram": "bins",
    "jax.numpy.histogram_bin_edges": "bins",
    "numpy.histogram": "bins",
    "numpy.histogram_bin_edges": "bins",
}

STEPS = "a number of steps"
INDEX = "an index of a list"
TEXT = "written as a text"


@dataclass(frozen=True, slots=True)
class Demand:
    """`parts` must be known while tracing, as `what`.

    `firm`: nothing else will do. Else there may be an operation for a traced value:
    a branch, a loop, a dynamic slice.
    """

    parts: tuple[ast.expr, ...]
    what: str
    firm: bool


def demand_of(fn: Function, node: ast.AST) -> Demand | None:
    """What a node needs to know of its parts, if it needs anything."""
    match node:
        case ast.Call() | ast.BinOp() | ast.JoinedStr() if parts := written(fn, node):
            return Demand(parts, TEXT, True)
        case ast.Call():
            return _call(fn, node)
        case ast.BinOp(left=left, op=ast.Mult(), right=right):
            return _repetition(fn, left, right)
        case ast.AugAssign(target=ast.Name() as left, op=ast.Mult(), value=right):
            return _repetition(fn, left, right)
        case ast.Subscript():
            return _subscript(fn, node)
        case ast.If(test=test) | ast.While(test=test) | ast.IfExp(test=test):
            return Demand((test,), "a condition", False)
        case ast.Assert(test=test):
            return Demand((test,), "a condition", False)
        case ast.Match(subject=subject):
            return Demand((subject,), "a condition", False)
        case ast.BoolOp(values=values):
            return Demand(tuple(values[:-1]), "a condition", False)
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return Demand((operand,), "a condition", False)
        case ast.Compare(ops=[_, _, *_]):
            return Demand((node.left, *node.comparators), "a condition", False)
        case ast.Raise():
            tests = guards(fn, node)
            return Demand(tests, "a condition", False) if tests else None
        case ast.For(iter=values):
            counts = _counts(fn, values)
            return Demand(counts, STEPS, False) if counts else None
        case ast.ListComp() | ast.SetComp() | ast.GeneratorExp() | ast.DictComp():
            counts = tuple(c for g in node.generators for c in _counts(fn, g.iter))
            return Demand(counts, "a number of items", True) if counts else None
        case _:
            return None


def guards(fn: Function, node: ast.AST) -> tuple[ast.expr, ...]:
    """The tests, in the same function, that decide whether a statement runs."""
    tests = []
    for outer in fn.module.ancestors(node):
        if outer is fn.node:
            break
        if isinstance(outer, ast.If):
            tests.append(outer.test)
    return tuple(tests)


def _call(fn: Function, node: ast.Call) -> Demand | None:
    for callee in fn.callees(node):
        for option in alternatives(callee):
            match option:
                case Lib(name="range") if not _is_rewritten(fn, node):
                    return Demand(tuple(node.args), "a number of items", True)
                case Lib(name="round") if _is_traced(fn, *node.args[1:2]):
                    return Demand((node.args[1],), "a number of digits", True)
                case Lib(name="int" | "float" | "round") if node.args:
                    return Demand((node.args[0],), "a Python number", False)
                case Lib(name="getattr") if len(node.args) > 1:
                    return Demand((node.args[1],), "a name", True)
                case Lib(name=name) if name in COUNTING:
                    counts = tuple(
                        node.args[i] for i in COUNTING[name] if i < len(node.args)
                    )
                    return Demand(counts, "a number of items", True) if counts else None
                case Lib(name=name):
                    return _library_call(fn, node, name)
                case MethodValue(receiver=At()):
                    continue
                case MethodValue(receiver=Seq(), name="pop" | "insert") if node.args:
                    return Demand((node.args[0],), INDEX, True)
                case MethodValue(receiver=Array(), name=name):
                    return _method_call(fn, node, name)
                case TransformedValue() | BoundValue():
                    return _declared(fn, node, option)
                case _:
                    continue
    return None


def _declared(fn: Function, node: ast.Call, callee: Value) -> Demand | None:
    """What compiled code passes for the static parameters of a jitted function."""
    record = fn.call(node)
    root = callee
    while isinstance(root, BoundValue):
        root = root.function
    if record is None or not isinstance(root, TransformedValue):
        return None
    parts: list[ast.expr] = []
    for name in sorted(static_names(root)):
        try:
            given = argument(Site(record, callee), name)
        except Unclear:
            continue
        if given is not None:
            parts.append(given)
    return Demand(tuple(parts), "a static argument", True) if parts else None


def _is_rewritten(fn: Function, node: ast.Call) -> bool:
    """Does a loop or comprehension run over it, or is a tracer looked for in it?"""
    parent = fn.module.parent(node)
    if isinstance(parent, ast.Compare) and fn.tracer(parent.left) is not None:
        return True
    while (
        isinstance(parent, ast.Call) and fn.library(parent) in ITERATING
    ) or isinstance(parent, ast.Subscript):
        parent = fn.module.parent(parent)
    return isinstance(parent, ast.For | ast.comprehension)


def _counts(fn: Function, node: ast.expr) -> tuple[ast.expr, ...]:
    """The arguments of the `range`s that say how long an iterable is."""
    if isinstance(node, ast.Subscript):
        return _counts(fn, node.value)
    name = fn.library(node)
    if not isinstance(node, ast.Call):
        return ()
    if name == "range":
        return tuple(node.args)
    if name in ITERATING:
        return tuple(part for arg in node.args for part in _counts(fn, arg))
    return ()


def _library_call(fn: Function, node: ast.Call, name: str) -> Demand | None:
    api = lookup(name)
    if (length := _length_of_range(fn, node, name)) is not None:
        return Demand((length,), "a size", True)
    if api is None or not api.static_params:
        return None
    last = name.rpartition(".")[2]
    keywords = {k.arg: k.value for k in node.keywords if k.arg is not None}
    if last == "repeat" and "total_repeat_length" in keywords:
        return None
    if last == "einsum" and any(isinstance(fn.value(a), Seq) for a in node.args[1:2]):
        return None  # `einsum(x, [0, 1], y, [1, 2])`
    if last == "arange" and counted_range(fn, node) is not None:
        return None
    parts: list[ast.expr] = []
    reasons: list[str] = []
    for param in api.static_params:
        place = param.position
        given = keywords.get(param.name)
        if place is not None and place < len(node.args):
            given = node.args[place]
            if any(isinstance(a, ast.Starred) for a in node.args[: place + 1]):
                continue
        if given is not None:
            parts.append(given)
            reasons.append(param.reason)
    if not parts:
        return None
    unknown = [i for i, p in enumerate(parts) if _is_traced(fn, p)]
    return Demand(tuple(parts), _named(reasons[unknown[0] if unknown else 0]), True)


def _length_of_range(fn: Function, node: ast.Call, name: str) -> ast.expr | None:
    """The `n` of `jax.random.permutation(key, n)`, if it is no array."""
    if name not in RANGES:
        return None
    keywords = {k.arg: k.value for k in node.keywords}
    given = node.args[1] if len(node.args) > 1 else keywords.get(RANGES[name])
    match None if given is None else fn.value(given):
        case Array(shape=shape):
            return given if shape == SCALAR else None
        case Static(type="int") | Const(value=int()):
            return given
        case _:
            return None


def _is_traced(fn: Function, *nodes: ast.expr) -> bool:
    values = [fn.value(node) for node in nodes]
    return any(v is not None and holds_tracer(v) is not None for v in values)


def _method_call(fn: Function, node: ast.Call, name: str) -> Demand | None:
    if name in SHAPE_METHODS:
        parts = [a for a in node.args if not isinstance(a, ast.Starred)]
        return Demand(tuple(parts), "a shape", True) if parts else None
    shifted = ast.Call(node.func, [ast.Constant(0), *node.args], node.keywords)
    return _library_call(fn, shifted, f"jax.numpy.{name}")


def _named(reason: str) -> str:
    words = {
        "shape": "a shape",
        "size": "a size",
        "axis": "an axis",
        "dtype": "a dtype",
        "flag": "a setting",
    }
    return words.get(reason, "a setting")


def _repetition(fn: Function, left: ast.expr, right: ast.expr) -> Demand | None:
    for items, count in ((left, right), (right, left)):
        value = fn.value(items)
        if isinstance(value, Seq) and value.kind in ("tuple", "list"):
            return Demand((count,), "a number of items", True)
        if isinstance(value, Const) and isinstance(value.value, str | tuple | list):
            return Demand((count,), "a number of items", True)
    return None


def _subscript(fn: Function, node: ast.Subscript) -> Demand | None:
    base = fn.value(node.value)
    match base:
        case Dict(items):
            numbers = items and all(isinstance(k, int | float) for k, _ in items)
            return Demand((node.slice,), "a key", not numbers)
        case Seq() if not isinstance(node.slice, ast.Slice):
            return Demand((node.slice,), INDEX, False)
        case Array():
            places = (
                node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
            )
            bounds = [
                bound
                for place in places
                if isinstance(place, ast.Slice)
                for bound in (place.lower, place.upper, place.step)
                if bound is not None
            ]
            return (
                Demand(tuple(bounds), "the bounds of a slice", False)
                if bounds
                else None
            )
        case _:
            return None


def is_setting(value: object) -> bool:
    """Is this a Python object, no argument of a jitted function but a setting?"""
    match value:
        case Const(value=str() | bytes()):
            return True
        case Static(type="str" | "enum" | "intenum" | "dtype" | "bytes"):
            return True
        case Lib():
            return True
        case _:
            return False
