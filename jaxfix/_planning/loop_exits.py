"""How a loop is left, and what may be said of it before or behind the loop."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import TYPE_CHECKING

from jaxfix._analysis import build
from jaxfix._analysis.arguments import as_array
from jaxfix._analysis.facts import Function
from jaxfix._analysis.flow import exits, uses_before_definite_write
from jaxfix._analysis.scopes import mutations, reads, writes
from jaxfix._analysis.values import Array

from .agree import is_literal
from .bindings import bindings, in_turn, without_binding
from .blocks import Blocked, copy_with, statements_in

if TYPE_CHECKING:
    from .desugar import Desugar


def otherwise_first(
    stmt: ast.For | ast.While, bound: frozenset[str]
) -> tuple[list[ast.stmt], list[ast.stmt]]:
    """The assignments of an `else` that may as well stand before the loop; the rest.

    In `for ...: if c: hit = k; break` with `else: hit = -1` the name gets another value
    only on the way out, so it may begin with the one that it has if nobody leaves. A
    name that every round binds before it reads it may begin with anything, and with
    that value too; so may a variable of the loop or of its condition. The names in
    `bound` have a value before the loop. The `else` of `while True` never runs.
    """
    if never_ends(stmt):
        return [], []
    for_targets = set(writes([stmt.target] if isinstance(stmt, ast.For) else []))
    head = [stmt.test] if isinstance(stmt, ast.While) else []
    targets = for_targets | set(writes(head))
    changed = {*writes(stmt.body), *(name for name, _ in mutations(stmt.body))}
    changed |= targets
    read = set(reads([*head, *stmt.body]))
    first: list[ast.stmt] = []
    rest: list[ast.stmt] = []
    stays = read | bound | targets
    for index, one in enumerate(stmt.orelse):
        match one:
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if _is_plain(
                value, changed
            ):
                if name not in stays and _on_way_out(name, stmt.body):
                    first.append(one)
                else:
                    stays |= {name}
                    changed |= {name}
                    rest.append(one)
            case _:
                rest += stmt.orelse[index:]
                break
    taken = read_first(head, stmt.body) - for_targets | bound
    for one in rest:
        match one:
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if (
                name not in taken and _is_plain(value, changed)
            ):
                taken |= {name}
                first.append(build.assign(name, value))
    return first, rest


def read_first(head: Sequence[ast.expr], body: Sequence[ast.stmt]) -> frozenset[str]:
    """The names that a loop may read before it binds them."""
    return frozenset({*reads(head), *uses_before_definite_write(list(body))})


def _is_plain(value: ast.expr, changed: set[str]) -> bool:
    """A number or text, or a name that a loop leaves alone."""
    match value:
        case ast.Constant():
            return True
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant()):
            return True
        case ast.Name(id=name):
            return name not in changed
        case _:
            return False


def _on_way_out(name: str, block: Sequence[ast.stmt]) -> bool:
    """Is every statement that binds a name followed by an exit from the loop?"""
    if name not in writes(block):
        return True
    if not exits(block) - {"break", "return", "raise"}:
        return True
    inner = [
        part
        for stmt in block
        if isinstance(stmt, ast.If | ast.With)
        for part in (stmt.body, getattr(stmt, "orelse", []))
    ]
    others = [s for s in block if not isinstance(s, ast.If | ast.With)]
    tests = [s.test for s in block if isinstance(s, ast.If)]
    return name not in writes([*others, *tests]) and all(
        _on_way_out(name, part) for part in inner
    )


def never_ends(stmt: ast.stmt) -> bool:
    """Is it `while True`, which only an exit leaves?"""
    return isinstance(stmt, ast.While) and is_true(stmt.test)


def own_returns(body: Sequence[ast.stmt]) -> list[ast.Return] | None:
    """The `return`s in a loop; None if one of them is in an inner loop or a `with`."""
    found: list[ast.Return] = []
    for stmt in body:
        match stmt:
            case ast.Return():
                found.append(stmt)
            case ast.If(body=first, orelse=second):
                one, other = own_returns(first), own_returns(second)
                if one is None or other is None:
                    return None
                found += [*one, *other]
            case _ if "return" in exits([stmt]):
                return None
    return found


def broken(stmt: ast.stmt, returns: Sequence[ast.Return]) -> ast.stmt:
    """The statement with `break` for these `return`s."""
    if any(stmt is one for one in returns):
        made = ast.Break()
        made.origin = stmt  # type: ignore[attr-defined]
        return made
    if isinstance(stmt, ast.If) and "return" in exits([stmt]):
        first = [broken(s, returns) for s in stmt.body]
        return copy_with(
            stmt, body=first, orelse=[broken(s, returns) for s in stmt.orelse]
        )
    return stmt


def asked_in_turn(fn: Function, stmt: ast.For | ast.While) -> ast.For | ast.While:
    """`while a and (y := f(x)) > 0` as `while True`, which ends where a part fails."""
    parts = in_turn(fn, stmt)
    if parts is None:
        return stmt
    steps: list[ast.stmt] = []
    for bound, asked in parts:
        steps += bound
        leave = ast.If(build.not_(asked), [ast.Break()], [])
        leave.traced = True  # type: ignore[attr-defined]
        steps.append(leave)
    made = copy_with(stmt, test=build.const(True), body=[*steps, *stmt.body])
    assert isinstance(made, ast.While), "it is a copy of one"
    return made


def is_true(test: ast.expr) -> bool:
    return isinstance(test, ast.Constant) and bool(test.value)


def left_by_break(
    desugar: Desugar, stmt: ast.For | ast.While, rest: Sequence[ast.stmt]
) -> list[ast.stmt] | None:
    """The loop with `break` for `return x`, where `return x` may stand behind it.

    It stands there already, or nothing else leaves the loop and what it reads has a
    value before.
    """
    found = own_returns(stmt.body)
    returned = {ast.dump(r.value) for r in found or () if r.value is not None}
    if not found or stmt.orelse or len(returned) != 1:
        return None
    if any(r.value is None for r in found):
        return None
    match rest:
        case [ast.Return(value=ast.expr() as last), *_]:
            is_same = ast.dump(last) in returned
        case _:
            is_same = False
    local = set(reads(found[0])) & desugar.fn.variables
    if not local:
        return None
    after = list(rest)
    if not is_same:
        if not never_ends(stmt) or "break" in exits(stmt.body):
            return None
        if not local <= desugar.bound_before(stmt):
            return None
        after = [found[0]]
    made = copy_with(stmt, body=[broken(s, found) for s in stmt.body])
    return [made, *after]


def fallback_of(
    desugar: Desugar, stmt: ast.For | ast.While, rest: Sequence[ast.stmt]
) -> ast.expr | None:
    """What is returned right after a loop, if the result may start as that.

    It is a number, or a value that the loop leaves alone, of the type of all that
    the loop returns.
    """
    match rest:
        case [ast.Return(value=ast.expr() as value)] if not stmt.orelse:
            returned = [
                n.value for n in statements_in(stmt) if isinstance(n, ast.Return)
            ]
            alike = all(r is not None and starts(desugar, value, r) for r in returned)
            changed = {*writes([stmt]), *(name for name, _ in mutations([stmt]))}
            kept = isinstance(value, ast.Name) and value.id not in changed
            constant = not any(isinstance(n, ast.Name) for n in ast.walk(value))
            return value if returned and alike and (kept or constant) else None
        case _:
            return None


def starts(desugar: Desugar, value: ast.expr, returned: ast.expr) -> bool:
    """Is a choice between the two values of the type of `returned`, whole?"""
    if isinstance(value, ast.Tuple) and isinstance(returned, ast.Tuple):
        pairs = zip(value.elts, returned.elts, strict=False)
        same_length = len(value.elts) == len(returned.elts)
        return same_length and all(starts(desugar, a, b) for a, b in pairs)
    known = desugar.fn.value(returned)
    found = as_array(known) if known is not None else None
    first = desugar.fn.value(value)
    if found is None or found.dtype is None or found.shape is None:
        return False
    if is_literal(value):
        number = as_array(first) if first is not None else None
        scalar = number is not None and found.shape == number.shape
        kind = number.dtype.kind if scalar and number and number.dtype else None
        return kind is not None and kind == found.dtype.kind
    return (
        isinstance(value, ast.Name)
        and isinstance(first, Array)
        and (first.dtype, first.shape) == (found.dtype, found.shape)
    )


def leading_breaks(
    desugar: Desugar, stmt: ast.For | ast.While
) -> tuple[ast.expr | None, list[ast.stmt]]:
    """A `while` whose body begins with `if c: break`: c joins the condition."""
    body = list(stmt.body)
    if not isinstance(stmt, ast.While):
        return None, body
    tests = [] if is_true(stmt.test) else [stmt.test]
    # What the `else` of a loop asks is whether a `break` left it.
    while body and not stmt.orelse:
        first = body[0]
        match first:
            case ast.If(body=[ast.Break()], orelse=[]) if may_repeat(
                desugar, first.test
            ):
                tests.append(build.not_(first.test))
                body.pop(0)
            case _:
                break
    if not tests:
        return stmt.test, body
    test = tests[0] if len(tests) == 1 else ast.BoolOp(ast.And(), tests)
    return test, body


def bound_first(
    desugar: Desugar, stmt: ast.stmt, test: ast.expr
) -> tuple[ast.expr, list[ast.stmt]]:
    """`(y := f(x)) > 0` as `y > 0`, and the `y = f(x)` that comes before it."""
    named = bindings(test)
    if not named:
        return test, []
    first = without_binding(desugar.fn, test)
    if first is None or len(named) > 1:
        raise Blocked(stmt, "the loop's condition binds a name that may be skipped")
    return first, [build.assign(named[0].target.id, named[0].value)]


def may_repeat(desugar: Desugar, test: ast.expr) -> bool:
    return not bindings(test)
