"""Values that must have one type and have not: JAX refuses to trace them.

They are the results of the branches of a `lax.cond`, and the carry of a loop before and
after a round.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .objects import InstanceValue
from .shapes import known_dims
from .values import Array, Const, Dict, DType, Seq, Value

_KINDS = {"b": "bool", "i": "an integer", "f": "a float", "c": "complex"}


@dataclass(frozen=True, slots=True)
class Misfit:
    """Two values that are certainly of different types: `what` they are of."""

    path: str
    line: int
    function: str
    what: str
    text: str


def misfit(a: Value, b: Value, *, weak_fits: bool = False) -> str | None:
    """Why the two are of no one type; None if they may be.

    `weak_fits`: a weak type in place of the first is promoted to the other.
    """
    match a, b:
        case Array(), Array():
            return _of_arrays(a, b, weak_fits)
        case (Array(), Const(value=None)) | (Const(value=None), Array()):
            return "one is None"
        case Seq(items=tuple() as mine), Seq(items=tuple() as theirs):
            if a.kind != b.kind or len(mine) != len(theirs):
                return "one has other items"
            return _first(mine, theirs, weak_fits)
        case Dict(items=tuple() as mine), Dict(items=tuple() as theirs):
            others = dict(theirs)
            if dict(mine).keys() != others.keys():
                return "one has other keys"
            values = [v for _, v in mine]
            return _first(values, [others[k] for k, _ in mine], weak_fits)
        case InstanceValue(complete=True), InstanceValue(complete=True):
            if a.cls == b.cls and a.attrs.keys() == b.attrs.keys():
                fields = [b.attrs[name] for name in a.attrs]
                return _first([*a.attrs.values()], fields, weak_fits)
    return None


def _first(
    mine: Sequence[Value], theirs: Sequence[Value], weak_fits: bool
) -> str | None:
    pairs = zip(mine, theirs, strict=True)
    found = (misfit(a, b, weak_fits=weak_fits) for a, b in pairs)
    return next((why for why in found if why is not None), None)


def _of_arrays(a: Array, b: Array, weak_fits: bool) -> str | None:
    if a.tree or b.tree:
        return None
    sizes = known_dims(a.shape), known_dims(b.shape)
    if None not in sizes and sizes[0] != sizes[1]:
        return "they differ in shape"
    if a.dtype is None or b.dtype is None or (weak_fits and a.dtype.is_weak):
        return None
    x, y = a.dtype.kind, b.dtype.kind
    if x is not None and y is not None and x != y:
        return f"one is {_KINDS[x]} and one {_KINDS[y]}"
    if _is_named(a.dtype) and _is_named(b.dtype) and a.dtype.strong != b.dtype.strong:
        return "they differ in precision"
    return None


def _is_named(dtype: DType) -> bool:
    """Is it one dtype with a number of bits?"""
    return len(dtype.strong) == 1 and all(n[-1:].isdigit() for n in dtype.strong)
