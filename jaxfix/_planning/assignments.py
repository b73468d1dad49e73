"""Blocks that do nothing but assign names: as one expression a name."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from jaxfix._analysis import build
from jaxfix._analysis.closures import all_reads
from jaxfix._analysis.facts import Function
from jaxfix._analysis.scopes import writes

MAX_ITEM = 20  # characters of a value that needs no name


def simple_assignments(
    fn: Function, block: Sequence[ast.stmt]
) -> dict[str, ast.expr] | None:
    """`{name: value}` of a block that only assigns names, each once; else None."""
    out: dict[str, ast.expr] = {}
    for stmt in block:
        match stmt:
            case ast.Assign(targets=[*targets], value=value) if all(
                isinstance(t, ast.Name) for t in targets
            ):
                ids = [t.id for t in targets if isinstance(t, ast.Name)]
                read = [name for name in ids if name in all_reads(fn, value)]
                if len(read) > 1:
                    return None
                # The value is that of before, for each of the names.
                pairs = [(n, value) for n in ids if n not in read]
                pairs += [(n, value) for n in read]
            case ast.AnnAssign(target=ast.Name(id=name), value=value) if value:
                pairs = [(name, value)]
            case ast.AugAssign(target=ast.Name(id=name), op=op, value=value):
                pairs = [(name, ast.BinOp(build.load(name), op, value))]
            case ast.Assign(
                targets=[ast.Tuple(elts=targets)], value=ast.Tuple(elts=values)
            ) if len(targets) == len(values):
                if not all(isinstance(t, ast.Name) for t in targets):
                    return None
                left = {t.id for t in targets if isinstance(t, ast.Name)}
                if any(all_reads(fn, v) & left for v in values):
                    return None
                pairs = [
                    (t.id, v)
                    for t, v in zip(targets, values, strict=True)
                    if isinstance(t, ast.Name)
                ]
            case ast.Pass():
                continue
            case ast.Expr(value=ast.Constant(value=literal)) if literal is ...:
                continue
            case _:
                return None
        for name, value in pairs:
            if name in out or any(
                isinstance(n, ast.NamedExpr) for n in ast.walk(value)
            ):
                return None
            out[name] = value
    return out


def aligned_order(
    fn: Function,
    mine: dict[str, ast.expr],
    other: dict[str, ast.expr],
    outputs: Sequence[str],
    last: set[str],
) -> list[str] | None:
    """An order in which the names can be assigned one after another; None if none.

    In each branch an expression reads the new value of what the branch assigned before
    it and the old value of what it assigns later, so the joint order must keep that.
    The names in `last`, which are the condition, come as late as they can.
    """
    first: set[tuple[str, str]] = set()  # (a, b): a is assigned before b
    for assigned in (mine, other):
        order = list(assigned)
        for index, name in enumerate(order):
            for read in all_reads(fn, assigned[name]):
                if read == name or read not in outputs:
                    continue
                if read in order:
                    before = order.index(read) < index
                    first.add((read, name) if before else (name, read))
                else:
                    first.add((name, read))
    left = list(outputs)
    result: list[str] = []
    while left:
        ready = [n for n in left if not any(a in left and b == n for a, b in first)]
        if not ready:
            return None
        result.append(next((n for n in ready if n not in last), ready[0]))
        left.remove(result[-1])
    return result


def has_comment(stmt: ast.stmt) -> bool:
    return bool(getattr(stmt, "has_comment", False))


def together(block: Sequence[ast.stmt]) -> dict[str, ast.expr] | None:
    """`{name: value}` of `a, b = b, a`, whose values all read what was before."""
    match block:
        case [
            ast.Assign(targets=[ast.Tuple(elts=names)], value=ast.Tuple(elts=values))
        ]:
            targets = [n.id for n in names if isinstance(n, ast.Name)]
            if len(set(targets)) == len(names) == len(values) and not any(
                isinstance(n, ast.Starred | ast.NamedExpr)
                for v in values
                for n in ast.walk(v)
            ):
                return dict(zip(targets, values, strict=True))
    return None


def inline_last(
    fn: Function, block: list[ast.stmt], outputs: Sequence[str]
) -> tuple[list[ast.stmt], dict[str, ast.expr]]:
    """A block without the outputs that can be given as values, and these values."""
    assigned = only_outputs(fn, block, outputs)
    return ([], assigned) if assigned is not None else without_items(fn, block)


def only_outputs(
    fn: Function, block: list[ast.stmt], outputs: Sequence[str]
) -> dict[str, ast.expr] | None:
    """The values of a block that is one assignment of each output."""
    assigned = together(block)
    if assigned is None:
        assigned = simple_assignments(fn, block)
        for name, value in (assigned or {}).items():
            if any(r in (assigned or {}) and r != name for r in all_reads(fn, value)):
                return None
    if assigned is None or set(assigned) - set(outputs):
        return None
    if len(assigned) > 1 and any(len(ast.unparse(v)) > 40 for v in assigned.values()):
        return None
    return None if any(has_comment(s) for s in block) else assigned


def without_items(
    fn: Function, block: Sequence[ast.stmt]
) -> tuple[list[ast.stmt], dict[str, ast.expr]]:
    """A block without the names of ours for a short value that it keeps to its end."""
    kept = list(block)
    values: dict[str, ast.expr] = {}
    for index, stmt in enumerate(block):
        match stmt:
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if (
                getattr(stmt, "is_item", False)
                and not has_comment(stmt)
                and len(ast.unparse(value)) <= MAX_ITEM
                and not all_reads(fn, value) & set(writes(block[index + 1 :]))
            ):
                kept.remove(stmt)
                values[name] = value
    return kept, values
