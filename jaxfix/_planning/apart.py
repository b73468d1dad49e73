"""Items of one list by two indices: `xs[j]` and `xs[j + 1]`, `xs[i]` and `xs[j]`.

An index is a number, or a variable that the region does not bind plus a number. Two are
apart if they differ in every round of the loops that bind the variables.
"""

from __future__ import annotations

import ast

from jaxfix._analysis import build
from jaxfix._analysis.facts import Function
from jaxfix._analysis.scopes import writes
from jaxfix._analysis.values import Const, Seq, Value, alternatives

# A variable and what is added to it; without a variable it is the number alone.
Index = tuple[str, int]


def are_apart(
    fn: Function,
    sample: ast.expr,
    a: tuple[object, ...],
    b: tuple[object, ...],
) -> bool:
    """Are two places certainly two items of one list, which is long enough?

    Args:
      fn: the function that they stand in.
      sample: one of the places.
      a: the path of one; its last step is `("name", variable, offset)` or
        `("item", number)`.
      b: the path of the other.
    """
    one, other = _index(a[-1]), _index(b[-1])
    if a[:-1] != b[:-1] or one is None or other is None:
        return False
    if one[0] != other[0]:
        pairs = ((one, other), (other, one))
        return any(_is_less(fn, sample, x, y) for x, y in pairs) or _in_rows(
            fn, one, other
        )
    first = least(fn, one[0])
    if first is not None and first + min(one[1], other[1]) >= 0:
        return True
    assert isinstance(sample, ast.Subscript), "only an index has a variable"
    known = alternatives(fn.value(sample.value) or Const(None))
    lengths = [
        len(o.items) for o in known if isinstance(o, Seq) and o.items is not None
    ]
    return len(lengths) == len(known) and min(lengths) > abs(one[1] - other[1])


def _index(step: object) -> Index | None:
    match step:
        case ("name", str(name), int(offset)):
            return name, offset
        case ("item", int(number)) if not isinstance(number, bool):
            return "", number
        case _:
            return None


def _is_less(fn: Function, sample: ast.expr, low: Index, high: Index) -> bool:
    """Is one index less than the other in every round, and none negative?"""
    first = low[1] if not low[0] else least(fn, low[0])
    if first is None or first + (low[1] if low[0] else 0) < 0:
        return False
    if not low[0]:
        start = least(fn, high[0])
        return start is not None and start + high[1] > first
    gaps = [_gap(fn, sample, low[0], high[0]), _reach(fn, sample, low[0], high[0])]
    return any(gap is not None and gap + high[1] > low[1] for gap in gaps)


def _gap(fn: Function, sample: ast.expr, low: str, high: str) -> int | None:
    """The least of `high - low`, of `for high in range(low + 1, ...)`."""
    call = _own_range(fn, sample, high, low)
    match call.args if call is not None else []:
        case [start, _]:
            return _offset(start, low)
        case [start, _, ast.Constant(value=int(by))] if by > 0:
            return _offset(start, low)
        case _:
            return None


def _reach(fn: Function, sample: ast.expr, low: str, high: str) -> int | None:
    """The least of `high - low`, of `for low in range(high)`."""
    call = _own_range(fn, sample, low, high)
    match call.args if call is not None else []:
        case [stop] | [_, stop]:
            offset = _offset(stop, high)
            return 1 - offset if offset is not None else None
        case _:
            return None


def _offset(node: ast.expr, name: str) -> int | None:
    match node:
        case ast.Name(id=found) if found == name:
            return 0
        case ast.BinOp(
            left=ast.Name(id=found), op=op, right=ast.Constant(value=int() as by)
        ) if found == name and isinstance(op, ast.Add | ast.Sub):
            return by if isinstance(op, ast.Add) else -by
        case _:
            return None


def _own_range(
    fn: Function, sample: ast.expr, name: str, other: str
) -> ast.Call | None:
    """The only range that a variable runs over, in a loop that leaves another alone.

    `sample` stands in that loop: after it the variable may be of an earlier range.
    """
    match fn.definitions.get(name):
        case [ast.Call() as call] if fn.library(call) == "range":
            around = [*fn.module.ancestors(build.source_of(sample))]
            loop = fn.module.parent(call)
            if not isinstance(loop, ast.For) or other in writes(loop.body):
                return None
            return call if any(node is loop for node in around) else None
        case _:
            return None


def _in_rows(fn: Function, one: Index, other: Index) -> bool:
    """Do they differ in every row of `for i, j in ((0, 1), (1, 2)):`?"""
    both = {one[0], other[0]}
    nodes = [*fn.walk()]
    stored = [
        n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
    ]
    loops = [n for n in nodes if isinstance(n, ast.For) and both & {*writes(n.target)}]
    match loops:
        case [ast.For(target=ast.Tuple(elts=names), iter=rows)]:
            places = [n.id if isinstance(n, ast.Name) else "" for n in names]
        case _:
            return False
    if not both <= {*places} or sum(name in both for name in stored) != 2:
        return False
    found = [_row(value, len(places)) for value in _items(fn.value(rows))]
    return bool(found) and all(
        row is not None and _differ(dict(zip(places, row, strict=True)), one, other)
        for row in found
    )


def _items(value: Value | None) -> tuple[Value, ...]:
    return value.items or () if isinstance(value, Seq) else ()


def _row(value: Value, length: int) -> list[int] | None:
    numbers = [o.value for o in _items(value) if isinstance(o, Const)]
    whole = [n for n in numbers if isinstance(n, int)]
    return whole if len(whole) == len(_items(value)) == length else None


def _differ(row: dict[str, int], one: Index, other: Index) -> bool:
    a, b = row[one[0]] + one[1], row[other[0]] + other[1]
    return a != b and min(a, b) >= 0


def least(fn: Function, name: str) -> int | None:
    """The least value that a variable may have, which only ever runs over ranges."""
    starts: list[int] = []
    for source in fn.definitions.get(name) or [ast.Constant(None)]:
        if not isinstance(source, ast.Call) or fn.library(source) != "range":
            return None
        values = [fn.value(arg) for arg in source.args]
        match values:
            case [_]:
                starts.append(0)
            case [Const(value=int() as start), _]:
                starts.append(start)
            case [Const(value=int() as start), _, Const(value=int() as by)] if by > 0:
                starts.append(start)
            case [_, Const(value=int() as stop), Const(value=int() as by)] if by < 0:
                starts.append(stop + 1)
            case _:
                return None
    return min(starts)
