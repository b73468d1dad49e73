"""Long static Python loops as `scan` or `fori_loop`: lists that grow become outputs."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from jaxfix._analysis import build
from jaxfix._analysis.facts import Function
from jaxfix._analysis.finding import CannotFix
from jaxfix._analysis.scopes import names, reads, writes
from jaxfix._analysis.values import Array, Const, Seq, Value

from .blocks import Blocked
from .carries import (
    carried_names,
    check_body,
    check_bound,
    enter,
    initial_values,
    leave,
    used_names,
)
from .context import Context
from .for_loops import fori
from .rollable import check_rollable

if TYPE_CHECKING:
    from .functional import Functional


STACKING = frozenset(f"jax.numpy.{name}" for name in ("stack", "array", "asarray"))
NameSet = frozenset[str]
MANY = 64  # iterations of a short body
MANY_OUTPUTS = 16  # iterations of a long body, or outputs that are stacked


@dataclass(frozen=True, slots=True)
class Growing:
    """A list that a loop fills, one item a round, and that is stacked afterwards."""

    name: str
    start: ast.stmt
    append: ast.stmt
    value: ast.expr
    stacked: tuple[ast.Call, ...]


def growing_lists(fn: Function, loop: ast.For) -> list[Growing]:
    """The lists that a loop appends to at the top level of its body.

    Raises:
      CannotFix: such a list is used in another way than to be stacked.
    """
    found = []
    for stmt in loop.body:
        match stmt:
            case ast.Expr(
                value=ast.Call(
                    func=ast.Attribute(value=ast.Name(id=name), attr="append"),
                    args=[value],
                    keywords=[],
                )
            ):
                found.append(growing(fn, loop, stmt, name, value))
    return found


def growing(
    fn: Function, loop: ast.For, append: ast.stmt, name: str, value: ast.expr
) -> Growing:
    if isinstance(fn.node, ast.Lambda | ast.Module):
        raise CannotFix("the loop is not in a function")
    start: ast.stmt | None = None
    stacked: list[ast.Call] = []
    for node in fn.walk():
        if not isinstance(node, ast.Name) or node.id != name:
            continue
        parent = fn.module.parent(node)
        match parent:
            case ast.Assign(targets=[ast.Name()], value=ast.List(elts=[])) if (
                start is None
            ):
                start = parent
            case ast.Tuple() if start is None and (
                several := several_lists(fn.module.parent(parent), loop)
            ):
                start = several
            case ast.Attribute(attr="append") if inside(node, append):
                continue
            case ast.Call(args=[first], keywords=[]) if (
                first is node
                and fn.library(parent) in STACKING
                and parent.lineno > loop.lineno
                and not inside(node, loop)
            ):
                stacked.append(parent)
            case _:
                raise CannotFix(
                    f"the list `{name}` is used in another way than stacked"
                )
    if start is None or not stacked:
        raise CannotFix(f"the list `{name}` does not start empty, or is never stacked")
    if fn.module.parent(start) is not fn.module.parent(loop):
        raise CannotFix(f"the list `{name}` is not made beside the loop")
    return Growing(name, start, append, value, tuple(stacked))


def several_lists(node: ast.AST | None, loop: ast.For) -> ast.Assign | None:
    """`a, b = [], []`, all of which the loop fills."""
    match node:
        case ast.Assign(
            targets=[ast.Tuple(elts=targets)], value=ast.Tuple(elts=values)
        ):
            empty = all(isinstance(v, ast.List) and not v.elts for v in values)
            filled = {
                n.value.id
                for n in ast.walk(loop)
                if isinstance(n, ast.Attribute)
                and n.attr == "append"
                and isinstance(n.value, ast.Name)
            }
            names_ = [t.id for t in targets if isinstance(t, ast.Name)]
            if empty and len(names_) == len(targets) and filled >= set(names_):
                return node
    return None


def inside(node: ast.AST, outer: ast.AST) -> bool:
    return any(n is node for n in ast.walk(outer))


def rolled(
    f: Functional, node: ast.For, live: NameSet, context: Context
) -> list[ast.stmt]:
    """A loop over arrays or a static range without exits, as one loop of `lax`."""

    source = build.source_of(node)
    assert isinstance(source, ast.For), "a for loop comes from a for loop"
    lists: Sequence[Growing] = getattr(source, "growing", ())
    body = [s for s in node.body if not any(s is g.append for g in lists)]
    check_body(f, node, body)
    check_rollable(f.fn, node)
    if not lists and is_range(f, source.iter):
        return fori(f, node, live, context)
    return scan(f, node, body, lists, live, context)


def is_range(f: Functional, node: ast.expr) -> bool:
    return f.fn.library(node) == "range"


def scan(
    f: Functional,
    node: ast.For,
    body: list[ast.stmt],
    lists: Sequence[Growing],
    live: NameSet,
    context: Context,
) -> list[ast.stmt]:
    """`carry, outputs = lax.scan(body, init, xs)`."""

    source = build.source_of(node)
    targets = set(writes(node.target))
    loop = ast.For(node.target, node.iter, [*body, *values_used(lists)], [])
    carried = [n for n in carried_names(f, loop, live, []) if n not in targets]
    if targets & live:
        name = sorted(targets & live)[0]
        raise Blocked(source, f"`{name}` is read after the loop")
    check_bound(source, carried, context)
    inner = context.copy()
    enter(f, node, carried, inner)
    f.bind_targets(node.target, inner)
    outputs = [g.value for g in lists]
    live_at_end = frozenset(carried) | frozenset(names(outputs))
    new_body = f.loop_body(body, carried, live_at_end, inner)
    inits = initial_values(f, source, carried, context, inner, new_body)
    item, unpack = parameter(f, node.target)
    carry, take = carry_parameter(f, carried)
    result = build.ret(
        ast.Tuple(
            [
                whole(carried),
                build.tuple_of(outputs) if outputs else build.const(None),
            ],
            ast.Load(),
        )
    )
    name = f.fresh("body")
    call = build.call(
        f.spell("jax.lax.scan"),
        build.load(name),
        build.tuple_of(inits) if inits else build.const(None),
    )
    is_read = item in {*reads(new_body), *names(outputs)}
    count = times(f, node.iter) if not is_read and carry != "_" else None
    if count is not None:
        item = "_"
        call.keywords.append(ast.keyword("length", count))
    else:
        call.args.append(sequence_of(f, source, node.iter))
    function = build.function(name, [carry, item], [*take, *unpack, *new_body, result])
    f.keep.append(call)
    leave(f, carried, inner, context)
    stacks = [g.name for g in lists]
    context.bound |= set(stacks)
    return [function, ast.Assign([result_targets(carried, stacks, live)], call)]


def values_used(lists: Sequence[Growing]) -> Iterator[ast.stmt]:
    for one in lists:
        yield ast.Expr(one.value)


def whole(carried: Sequence[str]) -> ast.expr:
    if not carried:
        return build.const(None)
    return build.tuple_of([build.load(n) for n in carried])


def result_targets(
    carried: Sequence[str], stacks: Sequence[str], live: NameSet
) -> ast.expr:

    first: ast.expr = build.store("_")
    kept = used_names(carried, live)
    if any(k != "_" for k in kept):
        first = build.targets(kept)
    second = build.targets(stacks) if stacks else build.store("_")
    return ast.Tuple([first, second], ast.Store())


def parameter(f: Functional, target: ast.expr) -> tuple[str, list[ast.stmt]]:
    """The parameter for an item, and the statement that takes it apart."""
    if isinstance(target, ast.Name):
        return target.id, []
    name = f.fresh("item")
    return name, [ast.Assign([target], build.load(name))]


def carry_parameter(
    f: Functional, carried: Sequence[str]
) -> tuple[str, list[ast.stmt]]:
    if len(carried) == 1:
        return carried[0], []
    if not carried:
        return "_", []
    name = "carry" if "carry" not in f.fn.names else f.fresh("carry")
    return name, [ast.Assign([build.targets(carried)], build.load(name))]


def sequence_of(f: Functional, source: ast.AST, node: ast.expr) -> ast.expr:
    """The `xs` of a scan for an iterable."""
    name = f.fn.library(node)
    match node:
        case ast.Call(args=args) if name == "zip":
            lengths = {leading(f.fn.value(a)) for a in args}
            if len(lengths) != 1 or None in lengths:
                raise Blocked(source, "the arrays may differ in length, as zip allows")
            return ast.Tuple(list(args), ast.Load())
        case ast.Call(args=[inner]) if name == "enumerate":
            xs = sequence_of(f, source, inner)
            count = build.call("len", inner)
            steps = build.call(f.spell("jax.numpy.arange"), count)
            return ast.Tuple([steps, xs], ast.Load())
        case ast.Call(args=[inner]) if name == "reversed":
            xs = sequence_of(f, source, inner)
            backwards = ast.Slice(None, None, ast.UnaryOp(ast.USub(), build.const(1)))
            return ast.Subscript(xs, backwards, ast.Load())
        case ast.Call(args=args) if name == "range":
            return build.call(f.spell("jax.numpy.arange"), *args)
    if not isinstance(f.fn.value(node), Array):
        raise Blocked(source, f"`{ast.unparse(node)}` is not known to be an array")
    return node


def times(f: Functional, node: ast.expr) -> ast.expr | None:
    """The `n` of `range(n)`, for a scan that reads nothing of it."""
    is_count = is_range(f, node) and isinstance(node, ast.Call) and len(node.args) == 1
    return node.args[0] if is_count else None  # type: ignore[attr-defined]


def leading(value: Value | None) -> int | None:
    """The number of rows of an array, where it is known."""
    if isinstance(value, Array) and value.shape is not None and len(value.shape) == 1:
        (dims,) = value.shape
        if isinstance(dims, tuple) and dims and isinstance(dims[0], int):
            return dims[0]
    return None


def trips(fn: Function, loop: ast.For) -> int | None:
    """The number of iterations of a loop, where it is known."""
    return items_of(fn, loop.iter)


def items_of(fn: Function, node: ast.expr) -> int | None:
    value = fn.value(node)
    if isinstance(value, Array):
        return leading(value)
    if isinstance(value, Seq) and value.items is not None:
        return len(value.items)
    if isinstance(node, ast.Call):
        name = fn.library(node)
        if name in ("zip", "enumerate", "reversed"):
            counts = [c for a in node.args if (c := items_of(fn, a)) is not None]
            return min(counts) if counts else None
        if name == "range":
            numbers = [fn.value(a) for a in node.args]
            if all(isinstance(n, Const) and isinstance(n.value, int) for n in numbers):
                return len(range(*[n.value for n in numbers if isinstance(n, Const)]))
    return None


def over_array(fn: Function, node: ast.expr) -> bool:
    """Does the loop run over the rows of traced arrays?"""
    if isinstance(node, ast.Call) and fn.library(node) in (
        "zip",
        "enumerate",
        "reversed",
    ):
        return all(over_array(fn, a) for a in node.args[:1])
    found = fn.tracer(node)
    return found is not None and not found.tree


def appends(loop: ast.For | ast.While) -> bool:
    """Does the loop append to a list?"""
    return any(
        isinstance(n, ast.Attribute) and n.attr == "append" for n in ast.walk(loop)
    )


def works_on_tracers(fn: Function, loop: ast.For | ast.While) -> bool:
    """Does the body compute with tracers (a loop on Python values alone may stay)?"""
    return any(
        isinstance(n, ast.Name)
        and isinstance(n.ctx, ast.Store)
        and fn.tracer(n) is not None
        for s in loop.body
        for n in ast.walk(s)
    ) or any(
        isinstance(n, ast.Call) and fn.tracer(n) is not None
        for s in loop.body
        for n in ast.walk(s)
    )


def threshold(loop: ast.For | ast.While) -> int:
    """From how many iterations rolling pays (jax-semantics.md, section 8)."""
    operations = sum(
        isinstance(n, ast.BinOp | ast.Call | ast.Compare | ast.Subscript)
        for s in loop.body
        for n in ast.walk(s)
    )
    return MANY_OUTPUTS if operations > 25 else MANY
