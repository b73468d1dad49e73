"""`for` loops over what never ends, which a traced test leaves."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass

from jaxfix._analysis import build
from jaxfix._analysis.facts import Function
from jaxfix._analysis.finding import CannotFix
from jaxfix._analysis.flow import exits
from jaxfix._analysis.objects import FunctionValue
from jaxfix._analysis.scopes import reads, writes
from jaxfix._analysis.values import Seq, alternatives

from .blocks import Blocked
from .rollable import check_rollable


@dataclass(frozen=True, slots=True)
class Counting:
    """`itertools.count(start, step)` as expressions."""

    start: ast.expr
    step: ast.expr


def counting(fn: Function, node: ast.expr) -> Counting | None:
    if not isinstance(node, ast.Call) or fn.library(node) != "itertools.count":
        return None
    given = dict(zip(("start", "step"), node.args, strict=False))
    given |= {k.arg: k.value for k in node.keywords if k.arg is not None}
    if any(isinstance(arg, ast.Starred) for arg in node.args):
        return None
    return Counting(
        given.get("start", build.const(0)), given.get("step", build.const(1))
    )


def ends(fn: Function, node: ast.expr) -> bool:
    """Does an iterable come to an end, as far as we can see?

    Rounds after the exit change nothing, but there must be a last one.
    """
    match node:
        case ast.GeneratorExp(generators=generators):
            return all(ends(fn, g.iter) for g in generators)
        case ast.Call(args=args):
            name = fn.library(node) or ""
            match name.removeprefix("itertools."):
                case "count" | "cycle":
                    return False
                case "repeat":
                    return len(args) > 1 or bool(node.keywords)
                case "zip":
                    return any(ends(fn, arg) for arg in args)
                case "iter":
                    return len(args) == 1 and ends(fn, args[0])
                case "enumerate" | "map" | "filter" | "chain" | "accumulate":
                    return all(ends(fn, arg) for arg in args)
                case "takewhile" | "dropwhile" | "filterfalse" | "pairwise":
                    return all(ends(fn, arg) for arg in args)
            return not any(
                isinstance(option, FunctionValue) and goes_on(fn, option)
                for callee in fn.callees(node)
                for option in alternatives(callee)
            )
        case ast.Name() | ast.Attribute():
            value = fn.value(node)
            if not isinstance(value, Seq) or value.kind != "iter":
                return True
            return value.items is not None
        case _:
            return True


def goes_on(fn: Function, callee: FunctionValue) -> bool:
    """Is it a generator function with a loop that nothing ends?"""
    nodes = list(ast.walk(callee.node))
    if not any(isinstance(n, ast.Yield | ast.YieldFrom) for n in nodes):
        return False
    return any(
        (isinstance(n, ast.While) and isinstance(n.test, ast.Constant))
        or (isinstance(n, ast.For) and not ends(fn, n.iter))
        for n in nodes
    )


def counted(
    fn: Function, stmt: ast.For, span: Counting, fresh: Callable[[str], str]
) -> list[ast.stmt]:
    """A loop over `itertools.count` as `while True` with a counter.

    It counts at the end of each round, as one does by hand, if every round gets there.

    Raises:
      Blocked: the counter must be a Python number.
    """
    try:
        check_rollable(fn, stmt)
    except CannotFix as error:
        raise Blocked(stmt, str(error)) from error
    loop = ast.While(build.const(True), list(stmt.body), [])
    loop.origin = stmt  # type: ignore[attr-defined]
    used = set(reads(stmt.body)) | fn.flow.live_after(stmt)
    if not set(writes(stmt.target)) & used:
        return [loop]
    match stmt.target:
        case ast.Name(id=index) if index not in writes(stmt.body):
            first: list[ast.stmt] = []
        case _:
            index = fresh("count")
            first = [ast.Assign([stmt.target], build.load(index))]
    advance = ast.AugAssign(build.store(index), ast.Add(), span.step)
    if first or "continue" in exits(stmt.body):
        loop.body = [advance, *first, *stmt.body]
        return [build.assign(index, before_first(span)), loop]
    loop.body = [*stmt.body, advance]
    return [build.assign(index, span.start), loop]


def before_first(span: Counting) -> ast.expr:
    """What the first step turns into the first value."""
    match span.start, span.step:
        case ast.Constant(value=int() as start), ast.Constant(value=int() as step):
            return build.const(start - step)
        case _:
            return ast.BinOp(span.start, ast.Sub(), span.step)
