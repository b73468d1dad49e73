"""What a `for` loop runs over: ranges, arrays and their combinations, by index."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from jaxfix._analysis import build
from jaxfix._analysis.scopes import names, writes
from jaxfix._analysis.values import (
    Array,
    Const,
    Seq,
)

from .blocks import Blocked
from .context import Context, NameSet

if TYPE_CHECKING:
    from .functional import Functional


@dataclass(slots=True)
class Range:
    """`range(start, stop, step)` as expressions."""

    start: ast.expr
    stop: ast.expr
    step: int | ast.expr

    @property
    def unit(self) -> bool:
        return self.step == 1


def range_of(f: Functional, node: ast.expr) -> Range | None:
    if isinstance(node, ast.Subscript):
        return part_of_range(f, node)
    if f.fn.library(node) != "range" or not isinstance(node, ast.Call):
        return None
    match spread(f, node.args):
        case [stop]:
            return Range(build.const(0), stop, 1)
        case [start, stop]:
            return Range(start, stop, 1)
        case [start, stop, step]:
            value = f.fn.value(step)
            if isinstance(value, Const) and isinstance(value.value, int):
                return Range(start, stop, value.value)
            return Range(start, stop, step)
        case _:
            return None


def spread(f: Functional, args: Sequence[ast.expr]) -> list[ast.expr]:
    """The arguments, with `bounds[0], bounds[1]` for `*bounds` of a known length.

    Raises:
      Blocked: the length is not known.
    """
    found: list[ast.expr] = []
    for arg in args:
        if not isinstance(arg, ast.Starred):
            found.append(arg)
            continue
        value = f.fn.value(arg.value)
        items = value.items if isinstance(value, Seq) else None
        if items is None or not isinstance(arg.value, ast.Name | ast.Attribute):
            raise Blocked(arg, f"the parts of `{ast.unparse(arg)}` are not known")
        found += [
            ast.Subscript(arg.value, build.const(i), ast.Load())
            for i in range(len(items))
        ]
    return found


def part_of_range(f: Functional, node: ast.Subscript) -> Range | None:
    """`range(n)[2:]` counts from 2, `range(n)[:-1]` ends one earlier."""
    match node.slice:
        case ast.Slice(lower=lower, upper=upper, step=None):
            first = 0 if lower is None else int_of(lower)
            last = 0 if upper is None else int_of(upper)
        case _:
            return None
    if first is None or first < 0 or last is None or (upper is not None and last >= 0):
        return None
    span = range_of(f, node.value)
    if span is None or not span.unit:
        return None
    return Range(plus(span.start, first), plus(span.stop, last), 1)


def is_backwards(node: ast.expr) -> bool:
    """Is it `[::-1]`?"""
    match node:
        case ast.Slice(lower=None, upper=None, step=ast.expr() as step):
            return int_of(step) == -1
        case _:
            return False


@dataclass(slots=True)
class Iteration:
    """How a `for` becomes counting: `index` from `lower` to `upper`.

    `before` runs once, `first` at the head of each iteration.
    """

    index: str
    lower: ast.expr
    upper: ast.expr
    before: list[ast.stmt]
    first: list[ast.stmt]


def iteration(
    f: Functional,
    source: ast.AST,
    node: ast.For,
    live: NameSet,
    context: Context,
) -> Iteration:
    span = range_of(f, node.iter)
    if span is not None and isinstance(node.target, ast.Name):
        return over_range(f, source, node, span, live, context)
    return over_items(f, source, node, live)


def over_range(
    f: Functional,
    source: ast.AST,
    node: ast.For,
    span: Range,
    live: NameSet,
    context: Context,
) -> Iteration:
    assert isinstance(node.target, ast.Name), "checked by the caller"
    name = node.target.id
    # The body has the index as a parameter; where the loop has exits, it is carried.
    is_carried = getattr(node, "done", None) is not None
    kept = name in live or (is_carried and name in writes(node.body))
    if span.unit and not kept:
        index = index_name(f, node) if name.startswith("_") else name
        return Iteration(index, span.start, span.stop, [], [])
    index = index_name(f, node)
    if span.unit:
        return Iteration(
            index, span.start, span.stop, [], [build.assign(name, build.load(index))]
        )
    trips = trip_count(f, source, span)
    value = stepped(span, build.load(index))
    return Iteration(index, build.const(0), trips, [], [build.assign(name, value)])


def index_name(f: Functional, node: ast.For) -> str:
    """A name for the counter of a loop: a parameter of its body, if it has no exit."""
    if getattr(node, "done", None) is None:
        taken = {*names([node]), *f.fn.flow.live_in([node], frozenset())}
        return next(
            (n for n in ("i", "k", "j", "n") if n not in taken), f.fresh("index")
        )
    base = next((n for n in ("i", "k", "index") if n not in f.fn.names), "index")
    return f.fresh(base)


def step_node(span: Range) -> ast.expr:
    if isinstance(span.step, int):
        if span.step < 0:
            return ast.UnaryOp(ast.USub(), build.const(-span.step))
        return build.const(span.step)
    return span.step


def stepped(span: Range, index: ast.expr) -> ast.expr:
    """The value of a range at an index: `start + 3 * i`, `start - 2 * i`."""
    step = span.step
    if isinstance(step, int) and step < 0:
        offset = (
            index if step == -1 else ast.BinOp(build.const(-step), ast.Mult(), index)
        )
        return ast.BinOp(span.start, ast.Sub(), offset)
    offset = index if span.unit else ast.BinOp(step_node(span), ast.Mult(), index)
    return offset if is_zero(span.start) else ast.BinOp(span.start, ast.Add(), offset)


def is_zero(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value == 0


def trip_count(f: Functional, source: ast.AST, span: Range) -> ast.expr:
    """The number of iterations of a range with a step: a negative one means none."""
    if not isinstance(span.step, int) or span.step == 0:
        raise Blocked(source, "the step of the range is not known")
    size = abs(span.step)
    low, high = (span.start, span.stop) if span.step > 0 else (span.stop, span.start)
    known = int_of(low)
    width = ast.BinOp(high, ast.Sub(), low) if known is None else plus(high, -known)
    if size == 1:
        return width
    return ast.BinOp(plus(width, size - 1), ast.FloorDiv(), build.const(size))


def int_of(node: ast.expr) -> int | None:
    match node:
        case ast.Constant(value=int() as value):
            return value
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() as value)):
            return -value
        case _:
            return None


def plus(node: ast.expr, amount: int) -> ast.expr:
    """`node + amount`, where a number that `node` ends with is reckoned in."""
    base = node
    match node:
        case ast.BinOp(left=left, op=ast.Add() | ast.Sub() as op, right=right):
            if (last := int_of(right)) is not None:
                base = left
                amount += last if isinstance(op, ast.Add) else -last
        case _ if (value := int_of(node)) is not None:
            return build.const(value + amount)
    if amount == 0:
        return base
    sign: ast.operator = ast.Add() if amount > 0 else ast.Sub()
    return ast.BinOp(base, sign, build.const(abs(amount)))


def over_items(
    f: Functional, source: ast.AST, node: ast.For, live: NameSet
) -> Iteration:
    """A loop over arrays, `zip`, `enumerate`, `reversed`: their items by index."""
    index = index_name(f, node)
    items = Items(f, source, index)
    items.take(node.target, node.iter)
    if not items.counts:
        raise Blocked(source, "what the loop runs over has no length that is known")
    counts = items.counts
    upper = counts[0]
    if len(counts) > 1:
        traced = any(f.fn.traced(c) for c in counts if not build.is_new(c))
        if traced:
            for other in counts[1:]:
                upper = build.call(f.spell("jax.numpy.minimum"), upper, other)
        else:
            upper = build.call("min", *counts)
    return Iteration(index, build.const(0), upper, items.before, items.first)


@dataclass(slots=True)
class Items:
    """Takes an iterable apart into indexed reads."""

    f: Functional
    source: ast.AST
    index: str

    def __post_init__(self) -> None:
        self.before: list[ast.stmt] = []
        self.first: list[ast.stmt] = []
        self.counts: list[ast.expr] = []

    before: list[ast.stmt] = None  # type: ignore[assignment]
    first: list[ast.stmt] = None  # type: ignore[assignment]
    counts: list[ast.expr] = None  # type: ignore[assignment]

    def take(self, target: ast.expr, iterable: ast.expr) -> None:
        name = self.f.fn.library(iterable)
        match iterable:
            case ast.Call(args=args) if name == "zip" and isinstance(target, ast.Tuple):
                if len(args) != len(target.elts):
                    raise Blocked(self.source, "zip and its targets differ in number")
                for inner, arg in zip(target.elts, args, strict=True):
                    self.take(inner, arg)
            case ast.Call(args=[inner, *start]) if name == "enumerate" and isinstance(
                target, ast.Tuple
            ):
                first = start[0] if start else keyword(iterable, "start")
                count: ast.expr = build.load(self.index)
                if first is not None:
                    count = ast.BinOp(count, ast.Add(), first)
                self.bind(target.elts[0], count)
                self.take(target.elts[1], inner)
            case ast.Call(args=[inner]) if name == "reversed":
                self.reversed(target, inner)
            case ast.Call() if name == "range":
                self.over_range(target, iterable)
            case ast.Subscript(value=ast.Call() as inner, slice=part) if (
                self.f.fn.library(inner) == "range"
            ):
                if is_backwards(part):
                    self.reversed(target, inner)
                else:
                    self.over_range(target, iterable)
            case _:
                self.over_array(target, iterable)

    def bind(self, target: ast.expr, value: ast.expr) -> None:
        if isinstance(target, ast.Name):
            self.first.append(build.assign(target.id, value))
            return
        self.first.append(ast.Assign([target], value))

    def over_range(self, target: ast.expr, node: ast.expr) -> None:
        span = range_of(self.f, node)
        if span is None:
            raise Blocked(self.source, "a range of this form is not known")
        if span.unit and is_zero(span.start):
            self.bind(target, build.load(self.index))
            self.counts.append(span.stop)
            return
        self.bind(target, stepped(span, build.load(self.index)))
        self.counts.append(trip_count(self.f, self.source, span))

    def reversed(self, target: ast.expr, inner: ast.expr) -> None:
        span = range_of(self.f, inner)
        if span is None or not span.unit:
            self.over_array(target, inner, backwards=True)
            return
        last = plus(span.stop, -1)
        self.bind(target, ast.BinOp(last, ast.Sub(), build.load(self.index)))
        self.counts.append(trip_count(self.f, self.source, span))

    def over_array(
        self, target: ast.expr, node: ast.expr, *, backwards: bool = False
    ) -> None:
        value = self.f.fn.value(node)
        if not isinstance(value, Array):
            raise Blocked(
                self.source, f"`{ast.unparse(node)}` is not known to be an array"
            )
        if not isinstance(node, ast.Name):
            name = self.f.fresh("items")
            self.before.append(build.assign(name, node))
            node = build.load(name)
        index: ast.expr = build.load(self.index)
        if backwards:
            index = ast.BinOp(ast.UnaryOp(ast.USub(), build.const(1)), ast.Sub(), index)
        self.bind(target, ast.Subscript(node, index, ast.Load()))
        self.counts.append(
            ast.Subscript(
                ast.Attribute(node, "shape", ast.Load()), build.const(0), ast.Load()
            )
        )


def keyword(call: ast.Call, name: str) -> ast.expr | None:
    return next((k.value for k in call.keywords if k.arg == name), None)
