"""Recursion that only traced conditions end: JAX would trace it for ever.

`lax.cond` traces both of its branches, whatever the condition will be, so a function
that calls itself in one of them is traced again and again. A condition that is known
while tracing (a depth, a length) does end a recursion.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from .flow import exits
from .scopes import names
from .transformed import underlying
from .values import Value

if TYPE_CHECKING:
    from .facts import Function

_NO_WAY_OUT = frozenset({"fall", "raise"})


def is_endless(fn: Function, callee: Value) -> bool:
    """Does tracing `callee` lead to the same call again, whatever its arguments are?"""
    function = underlying(callee)
    start = fn.facts.function(function.node) if function is not None else None
    return start is not None and _meets_itself(start, ())


def _meets_itself(fn: Function, path: tuple[Function, ...]) -> bool:
    if fn in path:
        return True
    known = fn.facts.endless.get(id(fn.node))
    if known is None:
        inside = (*path, fn)
        known = any(_meets_itself(inner, inside) for inner in _always_called(fn))
        fn.facts.endless[id(fn.node)] = known
    return known


def _always_called(fn: Function) -> Iterator[Function]:
    """The functions of the project that every trace of `fn` calls."""
    if isinstance(fn.node, ast.Lambda):
        calls = list(_in_expression(fn, fn.node.body))
    else:
        calls = list(_in_block(fn, fn.node.body))
    for call in calls:
        targets = [underlying(callee) for callee in fn.callees(call)]
        if len(targets) == 1 and targets[0] is not None:
            inner = fn.facts.function(targets[0].node)
            if inner is not None:
                yield inner


def _in_block(fn: Function, block: Sequence[ast.stmt]) -> Iterator[ast.Call]:
    """The calls that tracing a block makes, both branches of traced conditions."""
    for stmt in block:
        yield from _in_statement(fn, stmt)
        if isinstance(stmt, ast.Return | ast.Break | ast.Continue | ast.Raise):
            return
        if not _is_decided_later(fn, stmt) and exits([stmt]) - _NO_WAY_OUT:
            return


def _is_decided_later(fn: Function, stmt: ast.stmt) -> bool:
    """Does a traced value decide on what the statement does?"""
    match stmt:
        case ast.If(test=test) | ast.While(test=test):
            return bool(fn.traced(test))
        case ast.For():
            return bool(fn.traced_count(stmt))
        case ast.Match():
            return bool(fn.traced_subject(stmt))
        case _:
            return False


def _in_statement(fn: Function, stmt: ast.stmt) -> Iterator[ast.Call]:
    both = _is_decided_later(fn, stmt)
    match stmt:
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
            return
        case ast.If(test=test, body=body, orelse=orelse):
            yield from _in_expression(fn, test)
            yield from _merged(both, _in_block(fn, body), _in_block(fn, orelse))
        case ast.While(test=head, body=body) | ast.For(iter=head, body=body):
            yield from _in_expression(fn, head)
            if both:
                yield from _in_block(fn, body)
            elif isinstance(stmt, ast.For):
                yield from _in_rounds(fn, head, _in_block(fn, body))
        case ast.Match(subject=subject, cases=cases):
            yield from _in_expression(fn, subject)
            if both:
                for case in cases:
                    yield from _in_block(fn, case.body)
        case ast.With(items=items, body=body):
            for item in items:
                yield from _in_expression(fn, item.context_expr)
            yield from _in_block(fn, body)
        case ast.Try(body=body):
            yield from _in_block(fn, body)
        case _:
            for child in ast.iter_child_nodes(stmt):
                yield from _in_expression(fn, child)


def _in_expression(fn: Function, node: ast.AST) -> Iterator[ast.Call]:
    match node:
        case ast.Lambda():
            return
        case ast.IfExp(test=test, body=body, orelse=orelse):
            yield from _in_expression(fn, test)
            first, second = _in_expression(fn, body), _in_expression(fn, orelse)
            yield from _merged(bool(fn.traced(test)), first, second)
        case ast.BoolOp(values=[first, *others]):
            yield from _in_expression(fn, first)
            if fn.traced(first):
                for other in others:
                    yield from _in_expression(fn, other)
        case ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
            values = node.generators[0].iter
            yield from _in_expression(fn, values)
            if len(node.generators) == 1 and not isinstance(node, ast.DictComp):
                yield from _in_rounds(fn, values, _in_expression(fn, node.elt))
        case _:
            if isinstance(node, ast.Call):
                yield node
            for child in ast.iter_child_nodes(node):
                yield from _in_expression(fn, child)


def _in_rounds(
    fn: Function, values: ast.expr, calls: Iterable[ast.Call]
) -> Iterator[ast.Call]:
    """The calls in the rounds of a loop over something that is the same in all calls.

    It is read from outside, or is passed on as it is: it does not end the recursion.
    """
    read = set(names(values))
    for call in calls:
        given = [*call.args, *(keyword.value for keyword in call.keywords)]
        passed = {a.id for a in given if isinstance(a, ast.Name)}
        if isinstance(values, ast.Name) and not (read & fn.variables) - passed:
            yield call


def _merged(
    both: bool, first: Iterable[ast.Call], second: Iterable[ast.Call]
) -> Iterator[ast.Call]:
    """The calls of both branches, if both are traced; else none is certain."""
    if both:
        yield from first
        yield from second
