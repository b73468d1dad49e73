"""Iterators of libraries: what they give, one by one where that is known."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Sequence

from .frame import Frame, join_all
from .python_calls import MAX_KNOWN, counted, iterate, known_items
from .values import Const, Lib, Seq, Static, Unknown, Value, join, type_name

Handler = Callable[[Frame, list[Value], dict[str, Value]], Value]


def _known(args: Sequence[Value]) -> list[tuple[Value, ...]] | None:
    """The elements of all arguments; None if those of one are not known."""
    found = [known_items(arg) for arg in args]
    known = [items for items in found if items is not None]
    return known if len(known) == len(found) else None


def _rows(rows: Iterable[Sequence[Value]], otherwise: Callable[[], Value]) -> Value:
    """An iterator over tuples, if they are few."""
    few = list(itertools.islice(rows, MAX_KNOWN + 1))
    if len(few) > MAX_KNOWN:
        return otherwise()
    return Seq("iter", tuple(Seq("tuple", tuple(row)) for row in few))


def _chain(frame: Frame, args: list[Value], keywords: dict[str, Value]) -> Value:
    known = _known(args)
    if known is not None:
        return Seq("iter", tuple(item for items in known for item in items))
    return counted(join_all([iterate(frame, arg) for arg in args]), args)


def _from_iterable(
    frame: Frame, args: list[Value], keywords: dict[str, Value]
) -> Value:
    if len(args) != 1:
        return Unknown()
    items = known_items(args[0])
    if items is not None:
        return _chain(frame, list(items), {})
    return Seq("iter", None, iterate(frame, iterate(frame, args[0])))


def _islice(frame: Frame, args: list[Value], keywords: dict[str, Value]) -> Value:
    if len(args) < 2:
        return Unknown()
    items = known_items(args[0])
    bounds = [arg.value for arg in args[1:] if isinstance(arg, Const)]
    is_known = all(bound is None or isinstance(bound, int) for bound in bounds)
    if items is not None and len(bounds) == len(args) - 1 and is_known:
        try:
            return Seq("iter", tuple(itertools.islice(items, *bounds)))
        except ValueError:
            return Unknown()
    return counted(iterate(frame, args[0]), args[:1])


def _repeat(frame: Frame, args: list[Value], keywords: dict[str, Value]) -> Value:
    times = args[1] if len(args) > 1 else keywords.get("times")
    if not args:
        return Unknown()
    if isinstance(times, Const) and isinstance(times.value, int):
        number = max(times.value, 0)
        if number <= MAX_KNOWN:
            return Seq("iter", (args[0],) * number)
    return Seq("iter", None, args[0])


def _product(frame: Frame, args: list[Value], keywords: dict[str, Value]) -> Value:
    if keywords:
        return Unknown()

    def many() -> Value:
        return counted(Seq("tuple", tuple(iterate(frame, a) for a in args)), args)

    known = _known(args)
    return many() if known is None else _rows(itertools.product(*known), many)


def _groups(
    choose: Callable[[Sequence[Value], int], Iterable[Sequence[Value]]],
) -> Handler:
    """`combinations(xs, r)` and its kin."""

    def handler(frame: Frame, args: list[Value], keywords: dict[str, Value]) -> Value:
        match args:
            case [items, Const(value=int() as size)] if not keywords and size >= 0:
                pass
            case _:
                return Unknown()

        def many() -> Value:
            return Seq("iter", None, Seq("tuple", (iterate(frame, items),) * size))

        known = known_items(items)
        return many() if known is None else _rows(choose(known, size), many)

    return handler


def _pairwise(frame: Frame, args: list[Value], keywords: dict[str, Value]) -> Value:
    if len(args) != 1:
        return Unknown()
    inner = iterate(frame, args[0])
    items = known_items(args[0])
    if items is None:
        return counted(Seq("tuple", (inner, inner)), args)
    return Seq("iter", tuple(Seq("tuple", p) for p in itertools.pairwise(items)))


def _zip_longest(frame: Frame, args: list[Value], keywords: dict[str, Value]) -> Value:
    fill = keywords.get("fillvalue", Const(None))
    known = _known(args)
    if known is not None:
        rows = itertools.zip_longest(*known, fillvalue=fill)
        return Seq("iter", tuple(Seq("tuple", row) for row in rows))
    inner = tuple(join(iterate(frame, arg), fill) for arg in args)
    return counted(Seq("tuple", inner), args)


def _count(frame: Frame, args: list[Value], keywords: dict[str, Value]) -> Value:
    given = [*args, *keywords.values()]
    if all(isinstance(a, Const) and isinstance(a.value, int) for a in given):
        return Seq("iter", None, Static("int"))
    return Seq("iter", None, join_all(given))


def _accumulate(frame: Frame, args: list[Value], keywords: dict[str, Value]) -> Value:
    if not args:
        return Unknown()
    inner = iterate(frame, args[0])
    function = args[1] if len(args) > 1 else keywords.get("func", Const(None))
    if function == Const(None):
        function = Lib("operator.add")
    start = keywords.get("initial", Const(None))
    first = inner if start == Const(None) else start
    once = join(first, frame.call(function, [first, inner]))
    return counted(join(once, frame.call(function, [once, inner])), args[:1])


def _chosen(frame: Frame, args: list[Value], keywords: dict[str, Value]) -> Value:
    """`takewhile(test, xs)` and its kin, which give some of the elements."""
    if len(args) != 2:
        return Unknown()
    inner = iterate(frame, args[1])
    frame.call(args[0], [inner])
    return Seq("iter", None, inner)


def _ndindex(frame: Frame, args: list[Value], keywords: dict[str, Value]) -> Value:
    """The indices of an array of this shape."""
    sizes = list(known_items(args[0]) or ()) if len(args) == 1 else args
    if sizes and all(type_name(size) == "int" for size in sizes):
        return Seq("iter", None, Seq("tuple", (Static("int"),) * len(sizes)))
    return Seq("iter", None, Seq("tuple", None, Static("int")))


HANDLERS: dict[str, Handler] = {
    "itertools.chain": _chain,
    "itertools.chain.from_iterable": _from_iterable,
    "itertools.islice": _islice,
    "itertools.repeat": _repeat,
    "itertools.product": _product,
    "itertools.combinations": _groups(itertools.combinations),
    "itertools.combinations_with_replacement": _groups(
        itertools.combinations_with_replacement
    ),
    "itertools.permutations": _groups(itertools.permutations),
    "itertools.pairwise": _pairwise,
    "itertools.zip_longest": _zip_longest,
    "itertools.count": _count,
    "itertools.accumulate": _accumulate,
    "itertools.takewhile": _chosen,
    "itertools.dropwhile": _chosen,
    "itertools.filterfalse": _chosen,
    "numpy.ndindex": _ndindex,
}
