"""Arithmetic of symbolic shapes (`values.Shape`): reductions, reshapes, products."""

from __future__ import annotations

import math
from collections.abc import Sequence

from .values import (
    SCALAR,
    Const,
    DType,
    Seq,
    Shape,
    Static,
    Value,
    broadcast,
    plain,
    shape,
)


@plain()
class StaticDType(Static):
    """A dtype object, such as `x.dtype`, whose symbol is known."""

    dtype: DType | None = None


@plain()
class StaticShape(Static):
    """A shape, such as `x.shape`, whose symbol is known."""

    shape: Shape = None


def known_dims(dims: Shape) -> tuple[int, ...] | None:
    """The dimensions as ints, if all are known."""
    if dims is None or len(dims) > 1:
        return None
    for one in dims:
        known = isinstance(one, tuple) and all(isinstance(n, int) for n in one)
        return one if known else None
    return ()


def derived(dims: Shape, how: str) -> Shape:
    """A symbol for the shape that the operation `how` makes of a shape.

    The same operation on the same shape gives the same symbol, so that two rows of one
    array agree. Long histories are forgotten.
    """
    if dims is None:
        return None
    symbol = "&".join(sorted(str(one) for one in dims)) + how
    return frozenset({symbol}) if len(symbol) <= 80 else None


def reduced_shape(dims: Shape, axis: Value | None, keepdims: Value | None) -> Shape:
    """The shape after a reduction over `axis`."""
    keep = keepdims not in (None, Const(False))
    if not keep and axis in (None, Const(None)):
        return SCALAR
    if keep and keepdims != Const(True):
        return None
    axes = ints(axis) if axis not in (None, Const(None)) else None
    known = known_dims(dims)
    if known is None or (axes is None and axis not in (None, Const(None))):
        if axes is None and axis is not None:
            return None
        return derived(dims, f".over({axes},{keep})")
    rank = len(known)
    gone = set(range(rank)) if axes is None else {a % rank for a in axes if rank}
    if keep:
        return shape(*(1 if i in gone else n for i, n in enumerate(known)))
    return shape(*(n for i, n in enumerate(known) if i not in gone))


def ints(value: Value | None) -> tuple[int, ...] | None:
    """An int or a tuple of ints, as a tuple."""
    match value:
        case Const(value=bool()):
            return None
        case Const(value=int(n)):
            return (n,)
        case Const(value=tuple() | list() as items):
            known = all(type(n) is int for n in items)
            return tuple(items) if known else None
        case Seq(items=tuple(parts)):
            numbers = [p.value for p in parts if isinstance(p, Const)]
            if len(numbers) == len(parts) and all(type(n) is int for n in numbers):
                return tuple(numbers)
            return None
        case _:
            return None


def stacked(shapes: Sequence[Shape], axis: int = 0) -> Shape:
    """The shape of equal shapes stacked along a new axis."""
    first = known_dims(shapes[0])
    if any(dims != shapes[0] for dims in shapes) or shapes[0] is None:
        return None
    if first is None:
        return derived(shapes[0], f".stack({len(shapes)},{axis})")
    at = axis % (len(first) + 1)
    return shape(*first[:at], len(shapes), *first[at:])


def reshaped(dims: Shape, wanted: Value) -> Shape:
    """The shape that a reshape gives; one -1 is worked out."""
    if isinstance(wanted, StaticShape):
        return wanted.shape
    new = ints(wanted)
    if new is None:
        return None
    if -1 not in new:
        return shape(*new)
    known = known_dims(dims)
    rest = math.prod(n for n in new if n != -1)
    if known is None:
        return derived(dims, f".reshape{new}") if dims else None
    if new.count(-1) > 1 or rest == 0 or math.prod(known) % rest:
        return None
    return shape(*(math.prod(known) // rest if n == -1 else n for n in new))


def transposed(dims: Shape, order: tuple[int, ...] | None = None) -> Shape:
    known = known_dims(dims)
    if known is None:
        return derived(dims, ".T" if order is None else f".transpose{order}")
    if order is None:
        return shape(*reversed(known))
    if sorted(n % len(known) for n in order) != list(range(len(known))):
        return None
    return shape(*(known[n] for n in order))


def matmul_shape(left: Shape, right: Shape, how: str = "@") -> Shape:
    """The shape of a matrix product; of unknown shapes, a symbol made from theirs."""
    a, b = known_dims(left), known_dims(right)
    if how == "dot" and () in (a, b):
        return broadcast(left, right)
    if a is None or b is None:
        return _joined_symbol(left, right)
    if not a or not b or max(len(a), len(b)) > 2:
        return None
    return shape(*a[:-1], *b[1:]) if len(b) == 2 else shape(*a[:-1])


def _joined_symbol(left: Shape, right: Shape) -> Shape:
    """A symbol for the shape of a matrix product of two shapes."""
    if left is None or right is None:
        return None
    symbol = "@".join("&".join(sorted(map(str, side))) for side in (left, right))
    return frozenset({f"({symbol})"}) if len(symbol) <= 80 else None
