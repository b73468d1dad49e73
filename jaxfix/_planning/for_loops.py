"""`for` loops on traced values as `fori_loop`, `while_loop` or masked loops."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import TYPE_CHECKING

from jaxfix._analysis import build
from jaxfix._analysis.facts import Function
from jaxfix._analysis.finding import CannotFix
from jaxfix._analysis.values import (
    SCALAR,
    WEAK,
    Array,
    Seq,
)

from .blocks import Blocked
from .booleans import marked
from .carries import (
    carried_names,
    check_body,
    check_bound,
    check_gradient,
    enter,
    initial_values,
    last_casts,
    leave,
    result_of,
)
from .context import Context, NameSet
from .endless import ends
from .iterations import Iteration, iteration
from .masked import masked
from .rollable import check_rollable
from .while_loops import body_function, make_while

if TYPE_CHECKING:
    from .functional import Functional


KEPT_UNROLLED = 8  # iterations; jax-semantics.md, section 8


def for_loop(
    f: Functional, node: ast.For, live: NameSet, context: Context
) -> list[ast.stmt]:
    source = build.source_of(node)
    assert isinstance(source, ast.For), "a for loop comes from a for loop"
    done = getattr(node, "done", None)
    traced_count = f.fn.traced_count(source)
    if getattr(node, "traced", False) and not traced_count and done is None:
        from .rolled import rolled

        return rolled(f, node, live, context)
    if not traced_count and done is not None and not ends(f.fn, source.iter):
        text = ast.unparse(source.iter)
        raise Blocked(source, f"`{text}` may never end but for the traced test")
    if not traced_count:
        items = static_items(f.fn, source)
        if items is None or items <= KEPT_UNROLLED or f.fn.differentiated:
            return masked(f, node, live, context)
        loop = try_rolled(f, node, live, context)
        return loop if loop is not None else masked(f, node, live, context)
    check_body(f, node, node.body)
    if done is None:
        return fori(f, node, live, context)
    return counted_while(f, node, live, context)


def is_rolled(fn: Function, node: ast.For) -> bool:
    """Does a loop whose exit is traced become a `while_loop`, if nothing forbids it?"""
    source = build.source_of(node)
    assert isinstance(source, ast.For), "a for loop comes from a for loop"
    if fn.differentiated:
        return False
    items = static_items(fn, source)
    is_long = items is not None and items > KEPT_UNROLLED
    is_left = getattr(node, "done", None) is not None
    return bool(fn.traced_count(source)) or (is_long and is_left)


def static_items(fn: Function, source: ast.For) -> int | None:
    """The number of iterations, where it is known; 1000 for "some static number"."""
    value = fn.value(source.iter)
    if isinstance(value, Seq):
        if value.items is not None:
            return len(value.items)
        if value.kind == "range":
            return 1000
    if isinstance(value, Array) and value.shape is not None and len(value.shape) == 1:
        (dims,) = value.shape
        if isinstance(dims, tuple) and dims and isinstance(dims[0], int):
            return dims[0]
        return 1000
    if isinstance(value, Array):
        return 1000
    return None


def try_rolled(
    f: Functional, node: ast.For, live: NameSet, context: Context
) -> list[ast.stmt] | None:
    """The loop as a while_loop, if its variable may be a tracer."""
    saved = context.copy()
    try:
        check_body(f, node, node.body)
        check_rollable(f.fn, node)
        return counted_while(f, node, live, context)
    except CannotFix:
        context.types, context.bound = saved.types, saved.bound
        return None


def fori(
    f: Functional, node: ast.For, live: NameSet, context: Context
) -> list[ast.stmt]:
    """A loop with a traced number of iterations and no exits: `lax.fori_loop`."""
    source = build.source_of(node)
    plan = iteration(f, source, node, live, context)
    body = [*plan.first, *node.body]
    loop = ast.For(build.store(plan.index), build.const(0), body, [])
    carried = [n for n in carried_names(f, loop, live, []) if n != plan.index]
    check_bound(source, carried, context)
    inner = context.copy()
    enter(f, node, carried, inner)
    inner.types[plan.index] = Array(True, WEAK[int], SCALAR)
    inner.bound |= {plan.index}
    new_body = f.loop_body(body, carried, frozenset(carried), inner)
    if not carried:
        return [*plan.before, *effect_loop(f, plan, new_body)]
    new_body += last_casts(f, source, carried, context, inner)
    check_gradient(f, node, carried, context, inner)
    inits = initial_values(f, source, carried, context, inner, new_body)
    functions: list[ast.stmt] = []
    step = body_function(f, source, plan.index, carried, new_body, functions)
    call = build.call(
        f.spell("jax.lax.fori_loop"),
        plan.lower,
        plan.upper,
        step,
        build.tuple_of(inits),
    )
    f.keep.append(call)
    leave(f, carried, inner, context)
    return [*plan.before, *functions, result_of(f, carried, call, live, context)]


def effect_loop(
    f: Functional, plan: Iteration, body: Sequence[ast.stmt]
) -> list[ast.stmt]:
    """A loop that carries nothing: it is there for its effects."""
    function = build.function(f.fresh("body"), [plan.index, "_"], body)
    call = build.call(
        f.spell("jax.lax.fori_loop"),
        plan.lower,
        plan.upper,
        build.load(function.name),
        build.const(None),
    )
    f.keep.append(call)
    return [function, ast.Expr(call)]


def counted_while(
    f: Functional, node: ast.For, live: NameSet, context: Context
) -> list[ast.stmt]:
    """A counting loop that may be left early: `lax.while_loop` with an index."""
    source = build.source_of(node)
    plan = iteration(f, source, node, live, context)
    index = plan.index
    advance = ast.AugAssign(build.store(index), ast.Add(), build.const(1))
    test: ast.expr = marked(ast.Compare(build.load(index), [ast.Lt()], [plan.upper]))
    body = [*plan.first, *node.body, advance]
    start = build.assign(index, plan.lower)
    f.advance(start, context)
    statements = [*plan.before]
    loop = ast.While(test, body, [])
    loop.origin = source  # type: ignore[attr-defined]
    loop.done = getattr(node, "done", None)  # type: ignore[attr-defined]
    made = make_while(f, loop, test, body, live, context, hidden=[index])
    return [*statements, start, *made]
