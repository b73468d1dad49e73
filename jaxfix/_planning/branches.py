"""A branch on a traced condition: what it gives, and what becomes of its statements."""

from __future__ import annotations

import ast
from collections.abc import Sequence, Set
from typing import TYPE_CHECKING

from jaxfix._analysis import build
from jaxfix._analysis.closures import outer_names
from jaxfix._analysis.effects import Cost, obstacle
from jaxfix._analysis.finding import CannotFix
from jaxfix._analysis.flow import definitely_writes, uses_before_definite_write
from jaxfix._analysis.scopes import mutations, reads, writes
from jaxfix._analysis.values import (
    BOOL,
    SCALAR,
    Array,
    Const,
    Value,
)

from .agree import Typed, agree
from .aliases import shared_store
from .assignments import aligned_order, simple_assignments
from .blocks import Blocked, copy_with, sets_flags
from .booleans import is_bool, marked, positive
from .choices import check_objects, is_whereable, repeatable, scalar_test
from .conds import (
    cond_call,
    cond_statements,
    effect_only,
    has_effects,
    parameters,
    set_merged,
)
from .context import Context, NameSet, Types
from .guards import none_used
from .lengths import differ, results_differ
from .merged import merged
from .ownership import own_objects
from .placeholders import first_values, leaves
from .shared_names import shared_container, shared_name
from .tidy import folded

if TYPE_CHECKING:
    from .functional import Functional


def bind_test(f: Functional, test: ast.expr, context: Context) -> None:
    """`if (y := f(x)) > 0`: the branches see the name that the condition binds."""
    sure = set(definitely_writes([ast.Expr(test)]))
    for node in ast.walk(test):
        if isinstance(node, ast.NamedExpr) and node.target.id in sure:
            f.bind_targets(node.target, context)


def check_bound(f: Functional, node: ast.If) -> None:
    """A branch reads from outside what the condition binds in the midst of a call."""
    read = set(reads([*node.body, *node.orelse]))
    try:
        f.check_bound(node.test, read)
    except CannotFix as error:
        raise Blocked(node, str(error)) from error


def check_known(f: Functional, node: ast.If, context: Context) -> None:
    for block in (node.body, node.orelse):
        if name := none_used(f.fn, block, context.types):
            raise Blocked(node, f"`{name}` may be None where a branch computes with it")


def returning(f: Functional, node: ast.If, context: Context) -> list[ast.stmt]:
    bind_test(f, node.test, context)
    check_bound(f, node)
    check_known(f, node, context)
    if results_differ(f.fn, node.body, node.orelse):
        raise Blocked(node, "the length of the result depends on the condition")
    first, second = context.copy(), context.copy()
    body = f.block(node.body, frozenset(), first)
    orelse = f.block(node.orelse, frozenset(), second)
    test, test_value = test_of(f, node, context)
    if (plain := positive(f.fn, test)) is not None:
        test, test_value = plain, f.value(plain, context.types)
        body, orelse, first, second = orelse, body, second, first
    match body, orelse:
        case [ast.Return(value=None)], [ast.Return(value=None)]:
            raise Blocked(node, "neither branch has a result")
        case [ast.Return(value=x)], [ast.Return(value=y)] if x and y:
            for block in (node.body, node.orelse):
                check_names(f, node, block)
            a = Typed(x, f.value(x, first.types))
            b = Typed(y, f.value(y, second.types))
            check_none(f, node, a, b)
            pair = f.where_tuple(test, test_value, a, b)
            if pair is not None:
                return [build.ret(pair)]
            return [build.ret(f.select(test, test_value, a, b, "the result"))]
    check_branches(f, node)
    check_moved(f, node, [*node.body, *node.orelse])
    last_a, last_b = last_return(body), last_return(orelse)
    result: Value | None = None
    if last_a is not None and last_b is not None:
        mine, other = frozenset(writes(body)), frozenset(writes(orelse))
        a = Typed(last_a, returned(f, last_a, first.types), mine, mine)
        b = Typed(last_b, returned(f, last_b, second.types), other, other)
        check_none(f, node, a, b)
        check_objects(f.fn, "the result", a, b)
        x, y = agree(f.spell, "the result", a, b)
        body = [*body[:-1], build.ret(x)]
        orelse = [*orelse[:-1], build.ret(y)]
        result = merged(a.value, b.value)
        body, orelse = folded(f.fn, body), folded(f.fn, orelse)
    elif (last_a is None) != (last_b is None):
        for block in (body, orelse):
            if isinstance(block[-1], ast.Return) and is_none(block[-1].value):
                raise Blocked(node, "one branch returns None and the other a value")
    operands = parameters(body, orelse, context.bound)
    made, functions = cond_call(f, test, test_value, operands, body, orelse)
    f.new(made, result, Cost(cheap=False))
    return [*functions, build.ret(made)]


def returned(f: Functional, node: ast.expr, types: Types) -> Value | None:
    """What a branch returns; of a call of ours, what the function returns."""
    known = f.value(node, types)
    if known is None and isinstance(node, ast.Call) and build.is_new(node):
        return f.fn.facts.interpreter.results.get(id(f.fn.node))
    return known


def check_none(f: Functional, node: ast.If, a: Typed, b: Typed) -> None:
    if is_none(a.node) != is_none(b.node) and (is_none(a.node) or is_none(b.node)):
        raise Blocked(
            node, "the function returns None on one path and a value on another"
        )


def test_of(
    f: Functional, node: ast.If, context: Context
) -> tuple[ast.expr, Value | None]:
    test = f.test(node.test)
    if (why := obstacle(f.fn, test)) is not None and not build.is_new(test):
        raise Blocked(node, f"in the condition, {why}")
    return test, f.value(test, context.types)


def check_branches(f: Functional, node: ast.If) -> None:
    for block in (node.body, node.orelse):
        own = own_objects(f.fn, block)
        if (why := obstacle(f.fn, block, own)) is not None:
            raise Blocked(node, f"in a branch, {why}")
        if (shared := shared_store(f.fn, block)) is not None:
            text = ast.unparse(shared)
            why = f"in a branch, `{text}` changes an array by another name"
            raise Blocked(node, why)
        check_names(f, node, block)
        if (name := shared_container(f.fn, block)) is not None:
            why = f"`{name}` has another name, and changes under it later"
            raise Blocked(node, why)
    for name, place in mutations([*node.body, *node.orelse]):
        if not is_local_to(f, name, node):
            text = ast.unparse(place)
            raise Blocked(node, f"in a branch, `{text}` changes an object in place")


def check_names(f: Functional, node: ast.If, block: Sequence[ast.stmt]) -> None:
    if (name := shared_name(f.fn, block)) is not None:
        why = f"`{name}` is another name of an array that is stored into"
        raise Blocked(node, why)


def check_moved(f: Functional, node: ast.stmt, block: Sequence[ast.stmt]) -> None:
    """What becomes a function that returns must not bind outer variables."""
    if outer := outer_names(f.fn) & set(writes(block)):
        raise Blocked(
            node, f"on a way to a `return`, it assigns the outer `{min(outer)}`"
        )


def is_local_to(f: Functional, name: str, node: ast.stmt) -> bool:
    """Is `name` made anew in the statement, so that its mutation stays inside?"""
    exposed = uses_before_definite_write([node])
    return name not in exposed


def branch(
    f: Functional, node: ast.If, live: NameSet, context: Context
) -> list[ast.stmt]:
    before: list[ast.stmt] = []
    left = leaves(node)
    bind_test(f, node.test, context)
    check_bound(f, node)
    check_known(f, node, context)
    node, flags = take_flags(f, node, live, context)
    before += flags
    if not node.body and not node.orelse:
        return before
    outputs = [n for n in writes([*node.body, *node.orelse]) if n in live]
    before += first_values(f, node, outputs, context, left=left)
    check_outputs(f, node, outputs, context)
    check_branches(f, node)
    for name in outputs:
        if differ(f.fn, node.body, node.orelse, name):
            raise Blocked(node, f"the length of `{name}` depends on the condition")
    inner_live = frozenset(outputs)
    first, second = context.copy(), context.copy()
    body = f.block(node.body, inner_live, first)
    orelse = f.block(node.orelse, inner_live, second)
    test, test_value = test_of(f, node, context)
    if (plain := positive(f.fn, test)) is not None:
        test, test_value = plain, f.value(plain, context.types)
        body, orelse, first, second = orelse, body, second, first
    constant, left_over = constant_outputs(f, outputs, first, second, context)
    same = set(outputs) - set(left_over)
    outputs = left_over
    body, orelse = (without_constants(block, same) for block in (body, orelse))
    if not outputs:
        if not has_effects(f.fn, [*body, *orelse]):
            # What the condition binds stays bound.
            bound = [
                build.assign(n.target.id, n.value)
                for n in ast.walk(test)
                if isinstance(n, ast.NamedExpr)
            ]
            return [*before, *bound, *constant]
        return [
            *before,
            *effect_only(f, test, test_value, body, orelse, context.bound),
        ]
    simple = where_statements(
        f, test, test_value, body, orelse, outputs, first, second, context
    )
    if simple is not None:
        return [*before, *simple, *constant]
    made = cond_statements(
        f, test, test_value, body, orelse, outputs, first, second, context
    )
    return [*before, *made, *constant]


def take_flags(
    f: Functional, node: ast.If, live: NameSet, context: Context
) -> tuple[ast.If, list[ast.stmt]]:
    """`if c: done = True` is `done = c`; the flag is the test of what remains."""
    flags = [
        s.targets[0].id
        for s in node.body
        if is_flag(s)
        and isinstance(s, ast.Assign)
        and isinstance(s.targets[0], ast.Name)
        and s.value.value is True  # type: ignore[attr-defined]
    ]
    flags = [f for f in flags if f not in writes(node.orelse)]
    if not flags:
        return node, []
    test, test_value = test_of(f, node, context)
    first = flags[0]
    out: list[ast.stmt] = [build.assign(first, as_flag(f, test, test_value))]
    if first in reads(test) and not keeps(test, first):
        # In a masked loop a flag may be set already: it stays so.
        hit = f.fresh("hit")
        out = [build.assign(hit, as_flag(f, test, test_value))]
        for flag in flags:
            either = ast.BinOp(build.load(flag), ast.BitOr(), build.load(hit))
            out.append(build.assign(flag, marked(either)))
        flags.insert(0, hit)
    scalar = Array(True, BOOL, SCALAR, why=getattr(test_value, "why", None))
    context.types[first] = scalar
    for flag in flags:
        if flag in live and flag not in writes(out):
            out.append(build.assign(flag, build.load(first)))
        context.types[flag] = scalar
    context.bound |= set(flags)
    body = [s for s in node.body if not (is_flag(s) and writes([s])[0] in flags)]
    new_test = marked(build.load(flags[0]))
    made = copy_with(node, test=new_test, body=body)
    assert isinstance(made, ast.If), "a copy of an if is an if"
    made.flag = first  # type: ignore[attr-defined]
    return made, out


def as_flag(f: Functional, test: ast.expr, value: Value | None) -> ast.expr:
    """The test as a bool, for a carry."""
    plain = scalar_test(f.spell, test, value)
    if getattr(test, "is_bool_array", False) or is_bool(value) or value is None:
        return plain
    return ast.Compare(plain, [ast.NotEq()], [build.const(0)])


def check_outputs(
    f: Functional, node: ast.If, outputs: Sequence[str], context: Context
) -> None:
    sure = (set(definitely_writes(node.body)), set(definitely_writes(node.orelse)))
    for name in outputs:
        if name in context.bound:
            continue
        if not all(name in s for s in sure):
            raise Blocked(node, f"`{name}` is bound in one branch only")


def constant_outputs(
    f: Functional, outputs: list[str], first: Context, second: Context, before: Context
) -> tuple[list[ast.stmt], list[str]]:
    """Names that are the same constant (None, a string) after both branches."""
    constant: list[ast.stmt] = []
    left: list[str] = []
    for name in outputs:
        a, b = first.types.get(name), second.types.get(name)
        same = isinstance(a, Const) and a == b
        if (
            same
            and isinstance(a, Const)
            and (a.value is None or isinstance(a.value, str))
        ):
            if before.types.get(name) != a:
                constant.append(build.assign(name, build.const(a.value)))
        else:
            left.append(name)
    return constant, left


def without_constants(block: Sequence[ast.stmt], names: Set[str]) -> list[ast.stmt]:
    """A branch without what gives these names the constant of both branches."""
    return [
        stmt
        for stmt in block
        if not (
            isinstance(stmt, ast.Assign)
            and build.is_new(stmt)
            and isinstance(stmt.value, ast.Constant)
            and set(writes(stmt)) <= names
        )
    ]


def where_statements(
    f: Functional,
    test: ast.expr,
    test_value: Value | None,
    body: list[ast.stmt],
    orelse: list[ast.stmt],
    outputs: Sequence[str],
    first: Context,
    second: Context,
    context: Context,
) -> list[ast.stmt] | None:
    """One `jnp.where` a name, if both branches are cheap assignments; else None."""
    mine = simple_assignments(f.fn, body)
    other = simple_assignments(f.fn, orelse)
    if mine is None or other is None:
        return None
    if set(mine) - set(outputs) or set(other) - set(outputs):
        return None
    if len(outputs) > 4 and not isinstance(test, ast.Name):
        return None
    flags = {test.id} if isinstance(test, ast.Name) else set()
    order = aligned_order(f.fn, mine, other, outputs, last=flags)
    if order is None:
        return None
    prefix: list[ast.stmt] = []
    changes = set(reads(test)) & set(order[:-1])
    if len(order) > 1 and (not repeatable(test) or changes):
        name = f.fresh(condition_name(test))
        prefix.append(build.assign(name, test))
        bool_like = is_bool(test_value) or getattr(test, "is_bool_array", False)
        test = build.load(name)
        if bool_like:
            marked(test)
    out: list[ast.stmt] = []
    for name in order:
        a = branch_value(f, name, mine, context, first)
        b = branch_value(f, name, other, context, second)
        if prefix and name in flags:
            # The flag itself, as it was.
            a = Typed(test, test_value) if name not in mine else a
            b = Typed(test, test_value) if name not in other else b
        price = f.cost(a.node) & f.cost(b.node)
        if not (price.cheap and price.total) or not is_whereable(a, b, test):
            return None
        value = f.select(test, test_value, a, b, f"`{name}`")
        out.append(build.choice([name], value))
    for name in order:
        set_merged(f, name, first, second, context)
    return [*prefix, *out]


def branch_value(
    f: Functional,
    name: str,
    assigned: dict[str, ast.expr],
    context: Context,
    after: Context,
) -> Typed:
    if name in assigned:
        return Typed(assigned[name], after.types.get(name))
    return Typed(build.load(name), context.types.get(name))


def is_flag(stmt: ast.stmt) -> bool:
    """Does it set a flag, and not what a `return True` gives?"""
    return sets_flags([stmt]) and not hasattr(stmt, "origin_return")


def is_none(node: ast.expr | None) -> bool:
    return node is None or (isinstance(node, ast.Constant) and node.value is None)


def last_return(block: Sequence[ast.stmt]) -> ast.expr | None:
    last = block[-1] if block else None
    if isinstance(last, ast.Return) and last.value is not None:
        return last.value
    return None


def keeps(test: ast.expr, flag: str) -> bool:
    """Is it `flag | ...`, which is true where the flag is set already?"""
    match test:
        case ast.BinOp(left=left, op=ast.BitOr()) if build.is_new(test):
            return keeps(left, flag)
        case ast.Name(id=name):
            return name == flag
        case _:
            return False


def condition_name(test: ast.expr) -> str:
    """A word for the name that a condition is bound to."""
    match test:
        case ast.Name(id=name):
            return f"was_{name.lstrip('_')}"
        case ast.Compare(ops=[ast.Gt() | ast.GtE()]):
            return "above"
        case ast.Compare(ops=[ast.Lt() | ast.LtE()]):
            return "below"
        case ast.Compare(ops=[ast.Eq()]):
            return "equal"
        case _:
            return "holds"
