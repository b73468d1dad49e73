"""The last words of a block of new code: values that need no name, comments that do.

What the rewriting puts together is right before it is pretty: `x = f(x)` and then
`return x`. Here it becomes what one would have written.
"""

from __future__ import annotations

import ast
import functools
import io
import tokenize
from collections.abc import Sequence

from jaxfix._analysis import build
from jaxfix._analysis.facts import Function
from jaxfix._analysis.scopes import free_names, reads, writes
from jaxfix._analysis.values import Array, Const, Union, Value

from .one_call import may_come_before


def folded(fn: Function, block: Sequence[ast.stmt]) -> list[ast.stmt]:
    """The body of a new function, with its last value returned and not named first.

    A `pass` that is not alone goes.
    """
    if len(block) > 1:
        block = [s for s in block if not isinstance(s, ast.Pass) or commented(fn, s)]
    match block:
        case [
            *rest,
            ast.Assign(targets=[target], value=value) as bound,
            ast.Return() as last,
        ]:
            # An operation of ours that gives several values gives a tuple.
            several = getattr(bound, "is_choice", False) and is_same_tuple(
                target, last.value
            )
            same = several or is_same(target, last.value)
            if same and not commented(fn, last):
                return [*rest, build.ret(value)]
        case [
            *rest,
            ast.AugAssign(target=ast.Name(id=name)) as step,
            ast.Return() as end,
        ]:
            ends = is_same(step.target, end.value) and not commented(fn, end)
            if ends and is_immutable(fn.value(step) or fn.value(step.target)):
                made = ast.BinOp(build.load(name), step.op, step.value)
                return [*rest, build.ret(made)]
    return list(block)


def is_immutable(value: Value | None) -> bool:
    """Does `x += y` bind a new value to `x`? Of lists and numpy arrays it does not."""
    match value:
        case Array(traced=traced):
            return traced
        case Const(value=known):
            return isinstance(known, int | float | complex)
        case Union():
            return all(is_immutable(o) for o in value.options)
        case _:
            return False


def is_same(target: ast.expr, value: ast.expr | None) -> bool:
    """Is it one name that is bound and then read?"""
    return (
        isinstance(target, ast.Name)
        and isinstance(value, ast.Name)
        and build.is_new(value)
        and target.id == value.id
    )


def is_same_tuple(target: ast.expr, value: ast.expr | None) -> bool:
    is_ours = isinstance(value, ast.Tuple) and build.is_new(value)
    return is_ours and bool(names := names_of(target)) and names == names_of(value)


def without_result_names(fn: Function, body: Sequence[ast.stmt]) -> list[ast.stmt]:
    """`y = jnp.where(...)` of ours and then `return y` as one, where `y` is a local."""
    kept = shared_names(fn)

    def fold(stmts: Sequence[ast.stmt]) -> list[ast.stmt]:
        out: list[ast.stmt] = []
        for stmt in stmts:
            before = out[-1] if out else None
            if (
                isinstance(before, ast.Assign)
                and getattr(before, "is_choice", False)
                and isinstance(stmt, ast.Return)
                and isinstance(stmt.value, type(before.targets[0]))
                and (names := names_of(before.targets[0]))
                and names == names_of(stmt.value)
                and not kept & set(names)
                and not commented(fn, stmt)
            ):
                out[-1] = build.ret(before.value)
                continue
            if (taken := place_of_item(fn, out, stmt)) is not None:
                chosen = out.pop(taken)
                assert isinstance(chosen, ast.Assign), "a choice has a name"
                assert isinstance(stmt, ast.Assign), "it takes the item"
                out.append(ast.Assign(stmt.targets, chosen.value))
                continue
            out.append(inside(stmt))
        return out

    def inside(stmt: ast.stmt) -> ast.stmt:
        if build.is_new(stmt) and not isinstance(stmt, ast.Try):
            for part in ("body", "orelse"):
                if inner := getattr(stmt, part, None):
                    setattr(stmt, part, fold(inner))
        return stmt

    return fold(body)


def place_of_item(
    fn: Function, before: Sequence[ast.stmt], stmt: ast.stmt
) -> int | None:
    """Where the choice stands that a store like `table[i] = item` puts away.

    It may move to the store over what has nothing to do with it.
    """
    if not getattr(stmt, "takes_item", False) or not isinstance(stmt, ast.Assign):
        return None
    between: list[ast.Assign] = []
    for index in reversed(range(len(before))):
        one = before[index]
        if not isinstance(one, ast.Assign):
            return None
        if getattr(one, "is_choice", False) and same_names(one.targets[0], stmt.value):
            free = not set(reads(one)) & set(writes(between))
            stores = any(not names_of(s.targets[0]) for s in between)
            return index if free and (may_come_before(fn, one) or not stores) else None
        between.append(one)
    return None


def same_names(target: ast.expr, value: ast.expr) -> bool:
    return names_of(target) == names_of(value) != []


def names_of(node: ast.expr | None) -> list[str]:
    """The names of `x` or `x, y`; none of what has other parts."""
    parts = node.elts if isinstance(node, ast.Tuple) else [node]
    names = [n.id for n in parts if isinstance(n, ast.Name)]
    return names if len(names) == len(parts) else []


def shared_names(fn: Function) -> frozenset[str]:
    """The names that others read too: nested functions, and who sees a global."""
    found: set[str] = set()
    for node in fn.walk():
        if isinstance(node, ast.Global | ast.Nonlocal):
            found |= set(node.names)
        elif isinstance(
            node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef
        ):
            found |= set(free_names(node))
    return frozenset(found)


# --- comments


def commented(fn: Function, stmt: ast.stmt) -> bool:
    """Are there comments in an original statement, behind it or right before it?"""
    source = build.source_of(stmt)
    if build.is_new(source):
        return any(
            commented(fn, inner)
            for inner in ast.iter_child_nodes(stmt)
            if isinstance(inner, ast.stmt)
        )
    assert isinstance(source, ast.stmt), "a statement comes from a statement"
    found = comment_lines(fn.module.text)
    first, last = source.lineno, source.end_lineno or source.lineno
    while first - 1 in found and found[first - 1]:
        first -= 1
    return any(line in found for line in range(first, last + 1))


@functools.lru_cache(maxsize=16)
def comment_lines(text: str) -> dict[int, bool]:
    """The lines with a comment; True of those on which nothing else stands."""
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    return {
        token.start[0]: token.line[: token.start[1]].isspace() or not token.start[1]
        for token in tokens
        if token.type == tokenize.COMMENT
    }
