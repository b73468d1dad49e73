"""`while` loops on traced conditions as `lax.while_loop`."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import TYPE_CHECKING

from jaxfix._analysis import build
from jaxfix._analysis.finding import CannotFix
from jaxfix._analysis.flow import uses_before_definite_write
from jaxfix._analysis.scopes import names, reads
from jaxfix._analysis.values import (
    BOOL,
    SCALAR,
    Array,
)

from .blocks import Blocked
from .booleans import is_bool, junction, marked
from .branches import as_flag
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
from .placeholders import first_number, initial_result, is_result
from .tidy import folded

if TYPE_CHECKING:
    from .functional import Functional


def while_loop(
    f: Functional, node: ast.While, live: NameSet, context: Context
) -> list[ast.stmt]:
    check_body(f, node, node.body)
    return make_while(f, node, node.test, node.body, live, context, hidden=[])


def make_while(
    f: Functional,
    node: ast.For | ast.While,
    test: ast.expr,
    body: Sequence[ast.stmt],
    live: NameSet,
    context: Context,
    *,
    hidden: Sequence[str],
) -> list[ast.stmt]:
    """`lax.while_loop` over the names that the body rebinds (and `hidden`)."""
    source = build.source_of(node)
    done = getattr(node, "done", None)
    going = [test] if done is None else [test, build.not_(build.load(done))]
    loop = ast.While(ast.BoolOp(ast.And(), going), list(body), [])
    carried = carried_names(f, loop, live, hidden)
    before = results_first(f, source, carried, node, context)
    certain = isinstance(node, ast.While) and runs_once(f, node, test)
    if certain and isinstance(source, ast.While):
        before += bound_inside(f, node, carried, body, context)
    late = late_names(node, carried, body, context, certain)
    inner = context.copy()
    enter(f, node, carried, inner)
    inner.bound |= set(late)
    if done is not None:
        inner.types[done] = Array(True, BOOL, SCALAR)
    new_body = f.loop_body(body, carried, frozenset(carried), inner)
    condition = loop_condition(f, opened(f, test, carried, inner), done, inner)
    if not carried:
        raise Blocked(source, "nothing that the loop changes is used")
    new_body += last_casts(f, source, carried, context, inner)
    check_gradient(f, node, carried, context, inner)
    inits = initial_values(f, source, carried, context, inner, new_body, late)
    keep_going = predicate(f, carried, condition)
    functions: list[ast.stmt] = []
    step = body_function(f, source, None, carried, new_body, functions)
    if not isinstance(keep_going, ast.Lambda):
        functions.insert(0, keep_going)
    call = build.call(
        f.spell("jax.lax.while_loop"),
        keep_going
        if isinstance(keep_going, ast.Lambda)
        else build.load(keep_going.name),
        step,
        # The first iteration, which certainly runs, gives the late names their values.
        build.call(step, build.tuple_of(inits)) if late else build.tuple_of(inits),
    )
    f.keep.append(call)
    leave(f, carried, inner, context)
    return [*before, *functions, result_of(f, carried, call, live, context)]


def results_first(
    f: Functional,
    source: ast.AST,
    carried: Sequence[str],
    node: ast.stmt,
    context: Context,
) -> list[ast.stmt]:
    """First values for what a `return` in the loop carries out."""
    before: list[ast.stmt] = []
    for name in carried:
        if name not in context.bound and is_result(name, node):
            stmt = initial_result(f, source, name, node, context)
            f.advance(stmt, context)
            before.append(stmt)
    return before


def runs_once(f: Functional, node: ast.While, test: ast.expr) -> bool:
    """Does the body of a loop certainly run, or Python reads names without a value?

    It is `while True`, or a `for` of a static number of rounds.
    """
    source = build.source_of(node)
    if isinstance(source, ast.For):
        return not f.fn.traced_count(source)
    return isinstance(source, ast.While) and always_true(test)


def bound_inside(
    f: Functional,
    node: ast.stmt,
    carried: Sequence[str],
    body: Sequence[ast.stmt],
    context: Context,
) -> list[ast.stmt]:
    """First values, which nobody reads, for numbers that only `while True` binds."""
    before: list[ast.stmt] = []
    exposed = uses_before_definite_write(list(body))
    for name in carried:
        if name in context.bound or name in exposed:
            continue
        if (stmt := first_number(f, name, node)) is not None:
            f.advance(stmt, context)
            before.append(stmt)
    return before


def late_names(
    node: ast.For | ast.While,
    carried: Sequence[str],
    body: Sequence[ast.stmt],
    context: Context,
    certain: bool,
) -> list[str]:
    """Names that only the loop binds and that are read after it.

    They are allowed where the body runs at least once: a loop that does not run is then
    an error in Python itself.
    """
    late = [n for n in carried if n not in context.bound]
    exposed = uses_before_definite_write(list(body))
    if certain and not any(n in exposed for n in late):
        return late
    check_bound(build.source_of(node), carried, context)
    return []


def loop_condition(
    f: Functional, test: ast.expr, done: str | None, inner: Context
) -> ast.expr:
    if build.is_new(test) or not isinstance(test, ast.Constant):
        plain = f.test(test)
        value = f.value(plain, inner.types)
        condition = as_flag(f, plain, value) if not always_true(test) else None
    else:
        condition = None if test.value else test
    if done is None:
        if condition is None:
            raise CannotFix("the loop never ends")
        return condition
    going = marked(ast.UnaryOp(ast.Invert(), build.load(done)))
    if condition is None:
        return going
    return junction(f.fn, f.spell, ast.And(), [condition, going])


def opened(
    f: Functional, test: ast.expr, carried: Sequence[str], inner: Context
) -> ast.expr:
    """`not done and x < 1`, where what is carried is known to be an array by now."""

    def part(node: ast.expr) -> ast.expr:
        match node:
            case ast.BoolOp(op=op, values=values):
                return ast.BoolOp(op, [part(v) for v in values])
            case ast.UnaryOp(op=ast.Not() as op, operand=operand):
                return ast.UnaryOp(op, part(operand))
            case ast.Name(id=name) if name in carried and is_bool(
                inner.types.get(name)
            ):
                return marked(build.load(name))
            case _ if f.fn.tracer(node) is not None and is_bool(f.fn.value(node)):
                return node
            case _:
                raise CannotFix("a part of the condition is no bool")

    if build.is_new(test) or not isinstance(test, ast.BoolOp | ast.UnaryOp):
        return test
    try:
        return part(test)
    except CannotFix:
        return test


def always_true(test: ast.expr) -> bool:
    return isinstance(test, ast.Constant) and bool(test.value)


def predicate(
    f: Functional, carried: Sequence[str], condition: ast.expr
) -> ast.Lambda | ast.FunctionDef:
    """The condition as a function of the carry."""
    if len(carried) == 1:
        return build.thunk(condition, carried)
    used = set(reads(condition))
    name = f.fresh("keep_going")
    carry = f.fresh("carry") if "carry" in f.fn.names else "carry"
    target = [n if n in used else "_" for n in carried]
    return build.function(
        name,
        [carry],
        [
            ast.Assign([build.targets(target)], build.load(carry)),
            build.ret(condition),
        ],
    )


def body_function(
    f: Functional,
    source: ast.AST,
    index: str | None,
    carried: Sequence[str],
    body: Sequence[ast.stmt],
    functions: list[ast.stmt],
) -> ast.expr:
    """The body as a local function; returns how the loop names it."""
    first = [index] if index is not None else []
    if index is not None and not {index, "_"} & set(names(body)):
        first = ["_"]
    result = build.ret(build.tuple_of([build.load(n) for n in carried]))
    if len(carried) == 1:
        block = folded(f.fn, [*body, result])
        match block:
            case [ast.Return(value=ast.expr() as value)] if (
                len(ast.unparse(value)) <= 40
            ):
                return build.thunk(value, [*first, carried[0]])
        name = f.fresh("body")
        function = build.function(name, [*first, carried[0]], block)
    else:
        name = f.fresh("body")
        carry = f.fresh("carry") if "carry" in f.fn.names else "carry"
        needed = uses_before_definite_write([*body, result])
        target = [n if n in needed else "_" for n in carried]
        unpack = ast.Assign([build.targets(target)], build.load(carry))
        block = folded(f.fn, [*body, result])
        function = build.function(name, [*first, carry], [unpack, *block])
    functions.append(function)
    return build.load(name)
