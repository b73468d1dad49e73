"""What `lax.cond` makes of two values: pytrees part by part."""

from __future__ import annotations

from collections.abc import Sequence

from jaxfix._analysis.arguments import merge
from jaxfix._analysis.objects import InstanceValue
from jaxfix._analysis.values import Array, Dict, Seq, Value, replace

from .agree import collapse


def merged(a: Value | None, b: Value | None) -> Value | None:
    """The value after a choice between two; None if it is not known."""
    x, y = collapse(a), collapse(b)
    if x is None or y is None:
        return None
    match x, y:
        case Seq(items=tuple() as mine), Seq(items=tuple() as theirs):
            same = x.kind == y.kind and len(mine) == len(theirs)
            parts = _all(mine, theirs) if same else None
            return Seq(x.kind, parts) if parts is not None else None
        case Dict(items=tuple() as mine), Dict(items=tuple() as theirs):
            others = dict(theirs)
            if others.keys() != dict(mine).keys():
                return None
            parts = _all([v for _, v in mine], [others[key] for key, _ in mine])
            if parts is None:
                return None
            return Dict(tuple((k, v) for (k, _), v in zip(mine, parts, strict=True)))
        case InstanceValue(complete=True), InstanceValue(complete=True):
            if x.cls != y.cls or x.attrs.keys() != y.attrs.keys():
                return None
            fields = _all([*x.attrs.values()], [y.attrs[name] for name in x.attrs])
            if fields is None:
                return None
            return x.copied(dict(zip(x.attrs, fields, strict=True)), traced=True)
        case Array(), _ if x == y:
            return replace(x, traced=True)
    return merge(x, y) or (x if x == y else None)


def _all(mine: Sequence[Value], theirs: Sequence[Value]) -> tuple[Value, ...] | None:
    found = [merged(a, b) for a, b in zip(mine, theirs, strict=True)]
    parts = tuple(part for part in found if part is not None)
    return parts if len(parts) == len(found) else None
