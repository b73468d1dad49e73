"""Static loops that a traced condition ends: the rounds after it change nothing."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from jaxfix._analysis import build
from jaxfix._analysis.arguments import as_array
from jaxfix._analysis.scopes import writes
from jaxfix._analysis.values import (
    BOOL,
    SCALAR,
    Array,
    Const,
    Seq,
)

from .agree import collapse
from .blocks import Blocked, copy_with, sets_flags
from .booleans import marked
from .carries import first_rounds
from .context import Context, NameSet
from .lengths import counts_rounds
from .placeholders import first_binding, initial_result, is_result

if TYPE_CHECKING:
    from .functional import Functional


def masked(
    f: Functional, node: ast.For, live: NameSet, context: Context
) -> list[ast.stmt]:
    """A static Python loop that stays one: after the exit its body has no effect."""
    source = build.source_of(node)
    done = getattr(node, "done", None)
    targets = [n for n in writes(node.target) if n in live]
    if done is not None and targets:
        node = with_own_targets(f, node, targets)
    body = list(node.body)
    before: list[ast.stmt] = []
    if done is not None:
        # Not `~done`: before the first iteration the flag is Python's False.
        going = build.call(f.spell("jax.numpy.logical_not"), build.load(done))
        mask = ast.If(marked(going), body, [])
        mask.traced = True  # type: ignore[attr-defined]
        mask.origin = source  # type: ignore[attr-defined]
        body = [flatten_mask(f, mask, done)]
        context.types[done] = Array(True, BOOL, SCALAR)
    head = f.fn.flow.live_in([copy_with(node, body=body)], live) | live
    for name in writes(body):
        if done is not None and name in head and context.types.get(name) == Const(None):
            raise Blocked(source, f"`{name}` is None before the loop and not in it")
    inner = context.copy()
    f.enter_loop(node, inner)
    if done is not None:
        forget_constants(inner, writes(body))
        inner.types[done] = Array(True, BOOL, SCALAR)
    bound_before = context.bound
    unbound = [n for n in writes(body) if n in live and n not in bound_before]
    before += [
        initial_result(f, source, n, node, context)
        if is_result(n, node)
        else first_binding(f, source, n, node)
        for n in unbound
    ]
    for stmt in before:
        f.advance(stmt, context)
        f.advance(stmt, inner)
    for name in writes(body):
        start = collapse(context.types.get(name)) if is_result(name, node) else None
        if start is not None and (first := as_array(start)) is not None:
            # All that is returned has its shape; a bool has no other dtype.
            is_flag = first.dtype is not None and first.dtype.kind == "b"
            dtype = BOOL if is_flag else None
            inner.types[name] = Array(True, dtype, first.shape)
    inner.bound |= set(writes(node.target))
    new_body = f.block(body, head, inner)
    if done is not None:
        carried = [n for n in writes(body) if n in head]
        check_lengths(node, carried, context, inner)
    before += first_rounds(f, node, new_body, context)
    made = copy_with(node, body=new_body, orelse=[])
    made.desugared = True  # type: ignore[attr-defined]
    for name, value in inner.types.items():
        if name in writes(body):
            context.types[name] = value
    return [*before, made]


def check_lengths(
    node: ast.For, carried: Iterable[str], before: Context, after: Context
) -> None:
    """What the rounds after the exit leave alone has one length in all rounds.

    Raises:
      Blocked: a list gets longer, or what says how long it is changes.
    """
    varies = counts_rounds(node)
    for name in carried:
        first, last = collapse(before.types.get(name)), collapse(after.types.get(name))
        match first, last:
            case Seq(items=tuple(old)), Seq(items=tuple(new)):
                differs = len(old) != len(new)
            case Seq(items=tuple()), Seq():
                differs = varies
            case _:
                differs = False
        if differs:
            raise Blocked(node, f"the length of `{name}` differs from round to round")


def forget_constants(inner: Context, changed: Iterable[str]) -> None:
    """In the rounds after the exit a name has what it had there, and no constant.

    What is known at the head of the loop is known of the rounds that Python runs:
    `found = True; break` leaves `found` False in all of these.
    """
    for name in changed:
        known = collapse(inner.types.get(name))
        if isinstance(known, Const) and (number := as_array(known)) is not None:
            inner.types[name] = replace(number, traced=True)


def with_own_targets(f: Functional, node: ast.For, read: Sequence[str]) -> ast.For:
    """A loop over fresh names for those of its variables that are read after it.

    The old ones are bound in its body, where they stay what they were at the exit.
    """
    renamed = {name: f.fresh(name) for name in read}
    first: list[ast.stmt] = []

    def taken(target: ast.expr) -> ast.expr:
        match target:
            case ast.Name(id=name) if name in renamed:
                new, item = build.store(renamed[name]), build.load(renamed[name])
                for one in (new, item):
                    one.fact = f.fn.value(target)  # type: ignore[attr-defined]
                first.append(build.assign(name, item))
                return new
            case ast.Tuple(elts=elts) | ast.List(elts=elts):
                return ast.Tuple([taken(e) for e in elts], ast.Store())
            case ast.Starred(value=value):
                return ast.Starred(taken(value), ast.Store())
            case _:
                return target

    target = taken(node.target)
    made = copy_with(node, target=target, body=[*first, *node.body])
    assert isinstance(made, ast.For), "a copy of a loop is a loop"
    return made


def flatten_mask(f: Functional, mask: ast.If, done: str) -> ast.If:
    """`if not done: if c: X` is `if not done and c: X`.

    And `if not done: if c: done = True else: X` is `if done or c: done = True else: X`.
    """
    match mask.body:
        case [ast.If(body=[ast.Assign() as leave]) as only] if (
            getattr(only, "traced", False)
            and sets_flags([leave])
            and writes(leave) == (done,)
            and f.cost(only.test).cheap
        ):
            test = ast.BoolOp(ast.Or(), [marked(build.load(done)), only.test])
            made = ast.If(test, only.body, only.orelse)
            made.traced = True  # type: ignore[attr-defined]
            made.origin = build.source_of(only)  # type: ignore[attr-defined]
            return made
        case [ast.If(orelse=[]) as only] if getattr(only, "traced", False):
            made = ast.If(ast.BoolOp(ast.And(), [mask.test, only.test]), only.body, [])
            made.traced = True  # type: ignore[attr-defined]
            made.origin = build.source_of(only)  # type: ignore[attr-defined]
            return made
    return mask
