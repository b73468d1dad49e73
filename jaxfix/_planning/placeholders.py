"""First values of names that no path reads before it binds them."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from jaxfix._analysis import build
from jaxfix._analysis.arguments import as_array
from jaxfix._analysis.effects import FREE
from jaxfix._analysis.flow import definitely_writes
from jaxfix._analysis.objects import ClassValue
from jaxfix._analysis.scopes import reads, writes
from jaxfix._analysis.values import (
    SCALAR,
    Array,
    Seq,
    Unknown,
    Value,
)

from .agree import collapse, differ
from .blocks import Blocked, sets_flags
from .context import Context

if TYPE_CHECKING:
    from .functional import Functional


def first_values(
    f: Functional,
    node: ast.If,
    outputs: Sequence[str],
    context: Context,
    *,
    left: bool,
) -> list[ast.stmt]:
    """Values for names that a branch which leaves does not bind: never read.

    `left` says that there is such a branch.
    """

    out: list[ast.stmt] = []
    sure = set(definitely_writes(node.body)) & set(definitely_writes(node.orelse))
    for name in outputs:
        if name in context.bound | sure:
            continue
        if not (left or is_result(name, node)):
            continue
        zeros = {
            ast.dump(z): z
            for z in (zero_value(v) for v in assigned_values(f, name, node))
            if z is not None
        }
        if len(zeros) != 1 and (values := all_values_of(name, node)):
            zero = common_zero(f, values, context)
            zeros = {name: zero} if zero is not None else {}
        if len(zeros) != 1:
            continue
        made = build.assign(name, next(iter(zeros.values())))
        f.advance(made, context)
        out.append(made)
    return out


def assigned_values(f: Functional, name: str, node: ast.stmt) -> Iterator[Value | None]:
    """What the statement may bind a name to."""
    for inner in ast.walk(node):
        match inner:
            case ast.Assign(targets=[ast.Name(id=target)], value=value) if (
                target == name and build.is_new(inner)
            ):
                yield f.value(value, {})
            case ast.Name(id=target, ctx=ast.Store()) if target == name:
                if (found := f.fn.value(inner)) is not None:
                    yield found


def leaves(node: ast.If) -> bool:
    """Does a branch set the flag that says that the function or loop was left?"""
    return any(sets_flags([s]) for s in ast.walk(node) if isinstance(s, ast.Assign))


def initial_result(
    f: Functional, source: ast.AST, name: str, node: ast.stmt, context: Context
) -> ast.stmt:
    """A first value for a result that the loop may not set.

    Zero of its kind, or of the type of a name that has a value before the loop.
    """
    values = results_of(name, node)
    if not values:
        raise Blocked(
            source, f"`{name}` has no value if the loop does not run even once"
        )
    first = common_zero(f, [carried(f, v, node, context) for v in values], context)
    if first is None:
        raise Blocked(source, "what the loop returns has no known type")
    return build.assign(name, first)


def carried(
    f: Functional, value: ast.expr, loop: ast.stmt, context: Context
) -> ast.expr:
    """A value with names of the loop's carries for what the loop makes of them.

    Behind `x = new` the carry `x` has the type of `new` in each round.
    """
    if isinstance(value, ast.Tuple):
        parts = [carried(f, part, loop, context) for part in value.elts]
        return ast.Tuple(parts, ast.Load())
    if not isinstance(value, ast.Name) or value.id in context.bound:
        return value
    found = as_array(collapse(f.value(value, {})) or Unknown())
    for stmt in ast.walk(loop):
        match stmt:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Name(id=made)) if (
                made == value.id and name in context.bound and found is not None
            ):
                first = as_array(collapse(context.types.get(name)) or Unknown())
                if first is None or differ(first.shape, found.shape):
                    continue
                if first.dtype == found.dtype:
                    return build.load(name)
    return value


def results_of(name: str, node: ast.stmt) -> list[ast.expr]:
    """What our assignments in a statement give a name."""
    return [
        s.value
        for s in ast.walk(node)
        if isinstance(s, ast.Assign)
        and isinstance(s.targets[0], ast.Name)
        and s.targets[0].id == name
        and build.is_new(s)
    ]


def all_values_of(name: str, node: ast.stmt) -> list[ast.expr]:
    """What assignments give a name; empty if it is also bound otherwise."""
    stores = [n for n in ast.walk(node) if isinstance(n, ast.Name) and n.id == name]
    bound = [n for n in stores if isinstance(n.ctx, ast.Store)]
    values = [
        s.value
        for s in ast.walk(node)
        if isinstance(s, ast.Assign) and any(s.targets == [n] for n in bound)
    ]
    return values if len(values) == len(bound) else []


def common_zero(
    f: Functional, values: Sequence[ast.expr], context: Context
) -> ast.expr | None:
    """A first value for what has one of these values later, if they have one type."""
    zeros = [z for v in values if (z := zero_of(f, v, context)) is not None]
    if len(zeros) < len(values) or any(kind_of(z) != kind_of(zeros[0]) for z in zeros):
        return None
    return zeros[0]


def kind_of(zero: ast.expr) -> object:
    """What two first values of one type have in common."""
    if isinstance(zero, ast.Tuple):
        return tuple(map(kind_of, zero.elts))
    if isinstance(zero, ast.Call) and not hasattr(zero, "fact"):
        return ast.dump(zero.func), tuple(map(kind_of, zero.args))
    fact = getattr(zero, "fact", None)
    if isinstance(fact, Array) and None not in (fact.dtype, fact.shape):
        return fact.dtype, fact.shape
    return ast.dump(zero)


def first_binding(
    f: Functional, source: ast.AST, name: str, node: ast.stmt
) -> ast.stmt:
    """A value for a name that only the way out of a static loop binds.

    If the loop is not left that way, Python has no value for the name, and nobody who
    runs without an error reads it.
    """
    made = first_number(f, name, node)
    if made is None:
        raise Blocked(
            source, f"`{name}` has no value if the loop does not run even once"
        )
    return made


def first_number(f: Functional, name: str, node: ast.stmt) -> ast.stmt | None:
    """`name = 0` of the one kind of number that a statement may bind the name to."""
    zeros = [zero_value(v) for v in assigned_values(f, name, node)]
    texts = {ast.dump(z) for z in zeros if z is not None}
    if len(texts) != 1 or None in zeros or zeros[0] is None:
        return None
    return build.assign(name, zeros[0])


def zero_of(f: Functional, node: ast.expr, context: Context) -> ast.expr | None:
    """The zero of a value's type: Python literals that promote, or like a named array.

    A name is its own first value.
    """
    if isinstance(node, ast.Tuple):
        parts = [zero_of(f, e, context) for e in node.elts]
        if any(p is None for p in parts):
            return None
        return ast.Tuple([p for p in parts if p is not None], ast.Load())
    if isinstance(node, ast.Call) and (fields := named_fields(f, node)) is not None:
        found_fields = [zero_of(f, field, context) for field in fields]
        made_fields = [zero for zero in found_fields if zero is not None]
        if len(made_fields) < len(fields):
            return None
        return ast.Call(build.as_load(node.func), made_fields, [])
    zero = zero_value(f.value(node, {}))
    if zero is not None:
        return zero
    found = as_array(collapse(f.value(node, {})) or Unknown())
    if isinstance(node, ast.Name) and node.id in context.bound:
        return f.new(build.load(node.id), found, FREE)
    if found is None or found.dtype is None or found.shape is None:
        return None
    for name in [*reads(node), *context.types]:
        known = as_array(collapse(context.types.get(name)) or Unknown())
        if name not in context.bound or known is None:
            continue
        if (known.dtype, known.shape) == (found.dtype, found.shape):
            made = build.call(f.spell("jax.numpy.zeros_like"), build.load(name))
            return f.new(made, replace(found, traced=True), FREE)
    return None


def named_fields(f: Functional, node: ast.Call) -> list[ast.expr] | None:
    """The arguments of a call that makes a named tuple, in the order of its fields."""
    cls = f.fn.value(node.func)
    if not isinstance(cls, ClassValue) or cls.kind != "namedtuple":
        return None
    by_name = dict(zip(cls.all_fields(), node.args, strict=False))
    by_name |= {k.arg: k.value for k in node.keywords if k.arg is not None}
    if any(isinstance(arg, ast.Starred) for arg in node.args):
        return None
    fields = [by_name[name] for name in cls.all_fields() if name in by_name]
    return fields if len(fields) == len(cls.all_fields()) else None


def zero_value(value: Value | None) -> ast.expr | None:
    value = collapse(value)
    if isinstance(value, Seq) and value.items is not None:
        parts = [zero_value(v) for v in value.items]
        if value.kind != "tuple" or any(p is None for p in parts):
            return None
        return ast.Tuple([p for p in parts if p is not None], ast.Load())
    found = as_array(value) if value is not None else None
    if found is None or found.shape != SCALAR:
        return None
    kind = found.dtype.kind if found.dtype is not None else None
    zeros = {"b": False, "i": 0, "f": 0.0, "c": 0j}
    return build.const(zeros[kind]) if kind in zeros else None


def is_result(name: str, node: ast.stmt) -> bool:
    """Is the name one that we made for the value of a `return`?"""
    stores = [
        s
        for s in ast.walk(node)
        if isinstance(s, ast.Assign) and name in writes(s.targets[0])
    ]
    return bool(stores) and all(hasattr(s, "origin_return") for s in stores)
