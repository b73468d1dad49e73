"""Questions about arrays that several rules ask."""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from . import jax_api
from .definitions import bindings, definition, loads, resolved
from .finding import Evidence
from .objects import MethodValue
from .shapes import known_dims
from .values import (
    SCALAR,
    Array,
    Const,
    DType,
    Seq,
    Static,
    Union,
    Value,
    alternatives,
    holds_tracer,
    is_static,
    tracer,
)

if TYPE_CHECKING:
    from .facts import Function


def value(fn: Function, node: ast.AST) -> Value | None:
    """What an expression is under a transform, differentiation alone included."""
    found = fn.value(node)
    return found if found is not None else fn.linear_value(node)


def traced(fn: Function, node: ast.AST) -> tuple[Evidence, ...]:
    """Why an expression is a tracer, under differentiation alone too; else empty."""
    if because := fn.traced(node):
        return because
    found = fn.linear_value(node)
    return evidence(fn, node, tracer(found) if found is not None else None)


def traced_inside(fn: Function, node: ast.AST) -> tuple[Evidence, ...]:
    """Why an expression is a tracer or a list or tuple with a tracer in it."""
    for known in (fn.value(node), fn.linear_value(node)):
        if isinstance(known, Seq) or tracer(known or Static()) is not None:
            found = holds_tracer(known or Static())
            if because := evidence(fn, node, found):
                return because
    known = fn.value(node)
    found = holds_tracer(known) if isinstance(known, Seq) else None
    if found is not None and has_clear_arguments(fn):
        return _chain(fn, node, found)
    return forced(fn, node)


def forced(fn: Function, node: ast.AST) -> tuple[Evidence, ...]:
    """Like `traced`, for a use that only a number or an array can have.

    An argument of a root may be any pytree, but its leaves are tracers: what is cast
    must be one.
    """
    if because := traced(fn, node):
        return because
    known = fn.value(node)
    if isinstance(known, Array) and known.traced and has_clear_arguments(fn):
        return _chain(fn, node, known)
    return ()


def has_clear_arguments(fn: Function) -> bool:
    """Are the static arguments of the transforms above all known to us?"""
    roots = fn.roots() or list(fn.facts.interpreter.transformed.values())
    for root in roots:
        for option in ("static_argnums", "static_argnames", "in_axes"):
            given = root.option(option)
            if given is not None and not is_static(given):
                return False
    return bool(roots)


def evidence(fn: Function, node: ast.AST, found: Array | None) -> tuple[Evidence, ...]:
    if found is None or found.assumed:
        return ()
    return _chain(fn, node, found)


def _chain(fn: Function, node: ast.AST, found: Array) -> tuple[Evidence, ...]:
    if found.why is not None:
        return tuple(reversed(found.why.chain()))
    return (Evidence(fn.path, getattr(node, "lineno", 1), "it is traced"),)


def kind(known: Value | None) -> str:
    """`"b"`, `"i"`, `"f"`, `"c"`, or `""` if the kind of number is not certain."""
    match known:
        case Array(dtype=dtype) if dtype is not None:
            return dtype.kind or ""
        case Const(value=bool()) | Static(type="bool"):
            return "b"
        case Const(value=int()) | Static(type="int"):
            return "i"
        case Const(value=float()) | Static(type="float"):
            return "f"
        case Union(options=options):
            kinds = {kind(option) for option in options}
            return kinds.pop() if len(kinds) == 1 else ""
        case _:
            return ""


def is_scalar(known: Value | None) -> bool:
    """Is it certainly a number or an array without dimensions?"""
    match known:
        case Array(shape=shape):
            return shape == SCALAR
        case Const(value=bool() | int() | float() | complex()):
            return True
        case Static(type="int" | "float" | "bool" | "complex"):
            return True
        case Union(options=options):
            return all(is_scalar(option) for option in options)
        case _:
            return False


def rank(known: Value | None) -> int | None:
    """The number of dimensions, where it is certain."""
    if isinstance(known, Array):
        dims = known_dims(known.shape)
        return len(dims) if dims is not None else None
    return 0 if is_scalar(known) else None


def size_in_bytes(known: Value | None) -> int | None:
    """What an array takes up on a device, where that is certain.

    Without x64 no number there is wider than 32 bits.
    """
    if not isinstance(known, Array) or known.dtype is None or known.key:
        return None
    dims, bits = known_dims(known.shape), _bits(known.dtype)
    return None if dims is None or bits is None else math.prod(dims) * bits // 8


def _bits(dtype: DType) -> int | None:
    kind = dtype.kind
    if kind is None or len(dtype.strong) > 1:
        return None
    if kind == "b":
        return 8
    widest = 64 if kind == "c" else 32
    for name in dtype.strong:
        if name.startswith("?"):
            return None
        if digits := re.search(r"\d+", name):
            return min(int(digits[0]), widest)
    return widest


def is_host_array(known: Value | None) -> bool:
    """Is it certainly a NumPy array?"""
    options = alternatives(known) if known is not None else ()
    return bool(options) and all(
        isinstance(o, Array) and o.host and not o.traced for o in options
    )


def is_array(known: Value | None) -> bool:
    """Is it certainly an array, so that it has the methods of one?"""
    options = alternatives(known) if known is not None else ()
    return bool(options) and all(isinstance(o, Array) for o in options)


def is_sequence(known: Value | None) -> bool:
    """Is it certainly an array, a list or a tuple?"""
    options = alternatives(known) if known is not None else ()
    return bool(options) and all(
        isinstance(o, Array) or (isinstance(o, Seq) and o.kind in ("list", "tuple"))
        for o in options
    )


# Functions of `jax.numpy` that make one array of a list of arrays.
TAKE_LISTS = frozenset(
    [
        "array",
        "asarray",
        "asanyarray",
        "stack",
        "concatenate",
        "vstack",
        "hstack",
        "dstack",
        "column_stack",
        "block",
        "row_stack",
        "concat",
    ]
)


def has_array_attributes(fn: Function, name: str) -> bool:
    """Is a variable, no object of a class, asked for its shape or the like?"""
    for use in loads(fn, name):
        parent = fn.module.parent(use)
        is_asked = isinstance(parent, ast.Attribute) and parent.attr in ARRAY_ATTRIBUTES
        if is_asked and is_array(fn.value(use)):
            return True
    return False


def is_used_as_array(fn: Function, name: str) -> bool:
    """Is a variable of which nothing is known used as only an array can be?"""
    if has_array_attributes(fn, name):
        return True
    for use in loads(fn, name):
        match fn.module.parent(use):
            case (
                ast.BinOp(left=left, right=right)
                | ast.Compare(left=left, comparators=[right])
            ):
                if not any(isinstance(fn.value(s), Seq) for s in (left, right)):
                    return True
            case ast.UnaryOp(op=ast.USub() | ast.UAdd() | ast.Invert()):
                return True
            case ast.Subscript(value=base, slice=index) if base is use:
                if is_array_index(fn, index):
                    return True
            case ast.Call(args=[first, *_]) as call if first is use:
                module, _, function = (library(fn, call) or "").rpartition(".")
                if module == "jax.numpy" and function not in TAKE_LISTS:
                    return True
    return False


def is_array_index(fn: Function, index: ast.expr) -> bool:
    """Does an index find something in an array, and in no list, tuple or dict?"""
    match index:
        case ast.Tuple() | ast.List() | ast.Constant(value=None):
            return True
        case ast.Constant(value=value) if value is ...:
            return True
    return bool(forced(fn, index))


ARRAY_ATTRIBUTES = frozenset(
    [
        "shape",
        "ndim",
        "dtype",
        "size",
        "T",
        "at",
        "sum",
        "mean",
        "max",
        "min",
        "std",
        "var",
        "astype",
        "reshape",
        "ravel",
    ]
)


def may_be_python_number(fn: Function, node: ast.expr) -> bool:
    """May some caller pass a Python number here, which has no array methods?"""
    known = [fn.value(node), fn.host_value(node), fn.linear_value(node)]
    seen = [v for v in known if v is not None]
    if not all(is_array(v) for v in seen):
        return True
    origin = resolved(fn, node)
    is_parameter = isinstance(origin, ast.Name) and not bindings(fn, origin.id)
    return is_parameter and not fn.roots()


def method(fn: Function, node: ast.AST) -> tuple[ast.expr, str] | None:
    """The receiver and the name, if a call is one of a method of an array."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return None
    for known in (fn.value(node.func), fn.linear_value(node.func)):
        names = {
            option.name
            if isinstance(option, MethodValue) and isinstance(option.receiver, Array)
            else None
            for option in (alternatives(known) if known is not None else ())
        }
        if len(names) == 1 and (name := names.pop()) is not None:
            return node.func.value, name
    return None


def library(fn: Function, node: ast.AST) -> str | None:
    """The canonical dotted name of the library function that a call reaches."""
    name = fn.library(node)
    return jax_api.canonical(name).removeprefix("builtins.") if name else None


def reduces(fn: Function, call: ast.Call) -> bool:
    """Is it `jnp.sum`, `jnp.max` or another operation over the axes of an array?"""
    api = jax_api.lookup(fn.library(call) or "")
    return api is not None and (api.result or "").startswith("reduce")


def size_uses(fn: Function, node: ast.expr) -> bool:
    """Does the value end as a shape, a size or another thing that must be static?"""
    for child, parent in ends(fn, node):
        match parent:
            case ast.keyword(arg=str(name)):
                call = fn.module.parent(parent)
                if isinstance(call, ast.Call) and _is_static_param(fn, call, name):
                    return True
            case ast.Call() if child in parent.args:
                if _is_static_param(fn, parent, parent.args.index(child)):
                    return True
    return False


def key_uses(fn: Function, node: ast.expr) -> list[ast.Subscript | ast.Call]:
    """What may be a lookup by the value: `table[...]`, `table.get(...)`."""
    return [
        parent
        for child, parent in ends(fn, node)
        if (isinstance(parent, ast.Subscript) and parent.slice is child)
        or (isinstance(parent, ast.Call) and child in parent.args)
    ]


def ends(
    fn: Function, node: ast.expr, depth: int = 3
) -> Iterator[tuple[ast.expr, ast.AST]]:
    """Where a value goes by way of arithmetic and names: uses, and what uses them."""
    parent = fn.module.parent(node)
    match parent:
        case ast.BinOp() | ast.UnaryOp() | ast.Tuple() | ast.List() | ast.IfExp():
            yield from ends(fn, parent, depth)
        case ast.Call(func=ast.Name(id="int" | "max" | "min" | "abs" | "float")):
            yield from ends(fn, parent, depth)
        case ast.Assign(targets=[ast.Name(id=name)]) if depth:
            for use in loads(fn, name):
                found = definition(fn, use)
                if found is not None and found[0] is parent:
                    yield from ends(fn, use, depth - 1)
        case ast.AST():
            yield node, parent


def _is_static_param(fn: Function, call: ast.Call, where: int | str) -> bool:
    if (found := method(fn, call)) is not None:
        return found[1] in ("reshape", "repeat")
    name = library(fn, call)
    if name is None:
        return False
    api = jax_api.lookup(name)
    return any(
        where in (param.position, param.name) and param.reason in ("shape", "size")
        for param in (api.static_params if api is not None else ())
    )


def items_of(known: Value | None) -> Sequence[Value] | None:
    """The elements of a list or tuple whose length is known."""
    match known:
        case Seq(kind="list" | "tuple", items=tuple(items)):
            return items
        case Const(value=tuple() | list() as items):
            return [Const(item) for item in items]
        case _:
            return None


def caught(fn: Function, node: ast.AST) -> bool:
    """Would the program itself catch the error that a tracer raises here?"""
    inner: ast.AST = node
    for outer in fn.module.ancestors(node):
        if outer is fn.node:
            return False
        if isinstance(outer, ast.Try) and any(inner is s for s in outer.body):
            return any(_catches(handler) for handler in outer.handlers)
        inner = outer
    return False


def _catches(handler: ast.ExceptHandler) -> bool:
    if handler.type is None:
        return True
    text = ast.unparse(handler.type)
    names = ("Exception", "TypeError", "ConcretizationTypeError", "Tracer")
    return any(name in text for name in names)
