"""`while` loops that count by hand: `k = 0`, `while k < 100:`, `k += 1`."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from jaxfix._analysis.definitions import block_of
from jaxfix._analysis.facts import Function
from jaxfix._analysis.scopes import writes
from jaxfix._analysis.values import Const


@dataclass(frozen=True, slots=True)
class HandCounted:
    """The counter of a loop, and how many rounds it counts."""

    name: str
    rounds: int


def hand_counted(fn: Function, loop: ast.While) -> HandCounted | None:
    """What a loop counts, where it is known and nothing else decides when it ends."""
    match loop.test:
        case ast.Compare(
            left=ast.Name(id=name),
            ops=[ast.Lt() | ast.LtE() | ast.Gt() | ast.GtE() as op],
            comparators=[bound],
        ):
            stop, start = _int(fn, bound), _start(fn, loop, name)
        case _:
            return None
    step = _step(loop, name)
    if stop is None or start is None or not step:
        return None
    if isinstance(op, ast.Lt | ast.LtE) != (step > 0):
        return None
    if isinstance(op, ast.LtE | ast.GtE):
        stop += 1 if step > 0 else -1
    return HandCounted(name, len(range(start, stop, step)))


def _int(fn: Function, node: ast.expr) -> int | None:
    known = fn.value(node)
    is_int = isinstance(known, Const) and type(known.value) is int
    return known.value if isinstance(known, Const) and is_int else None


def _start(fn: Function, loop: ast.While, name: str) -> int | None:
    """What the counter is before the loop, by the last statement that binds it."""
    block = block_of(fn, loop)
    before = block[: next(i for i, stmt in enumerate(block) if stmt is loop)]
    for stmt in reversed(before):
        match stmt:
            case ast.Assign(targets=[ast.Name(id=target)], value=value) if (
                target == name
            ):
                return _int(fn, value)
        if name in writes([stmt]):
            return None
    return None


def _step(loop: ast.While, name: str) -> int | None:
    """By how much each round counts, if one statement of the body alone does."""
    if len([n for n in _stores(loop) if n == name]) != 1:
        return None
    for stmt in loop.body:
        match stmt:
            case ast.AugAssign(
                target=ast.Name(id=target),
                op=ast.Add() | ast.Sub() as op,
                value=ast.Constant(value=int() as step),
            ) if target == name:
                return step if isinstance(op, ast.Add) else -step
    return None


def _stores(loop: ast.While) -> list[str]:
    return [
        node.id
        for node in ast.walk(loop)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store | ast.Del)
    ]
