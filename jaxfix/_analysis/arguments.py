"""Arguments: how a call binds them, and what a transform makes of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from .frame import join_all
from .objects import (
    ClassValue,
    FunctionValue,
    InstanceValue,
)
from .results import subscript
from .values import (
    SCALAR,
    WEAK,
    Array,
    Const,
    Dict,
    Lib,
    Seq,
    Static,
    Union,
    Unknown,
    Value,
    Why,
    broadcast,
    holds_tracer,
    plain,
    promote,
    replace,
    type_name,
)

PYTHON_NUMBERS = {
    "bool": bool,
    "int": int,
    "intenum": int,
    "float": float,
    "complex": complex,
}


def scalar_tracer(value: Value, why: Why | None) -> Value:
    """A Python scalar as argument of a transformed function: a weakly typed tracer."""
    kind = PYTHON_NUMBERS.get(type_name(value))
    if kind is None:
        if isinstance(value, Static) and value.type == "":
            return Array(True, tree=True, assumed=True, why=why)
        return value
    return Array(True, WEAK[kind], SCALAR, why=why)


def as_array(value: Value) -> Array | None:
    """An array or Python scalar as an array; None for anything else."""
    found = scalar_tracer(value, value.why)
    return found if isinstance(found, Array) else None


def merge(a: Value, b: Value) -> Array | None:
    """The array that `lax.cond` or `jnp.where` makes of two; None if it cannot."""
    left, right = as_array(a), as_array(b)
    if left is None or right is None:
        return None
    return Array(
        True,
        promote(left.dtype, right.dtype),
        left.shape if left.shape == right.shape else broadcast(left.shape, right.shape),
        tree=left.tree and right.tree,
        key=left.key and right.key,
        why=left.why or right.why,
    )


def bind(
    fn: FunctionValue, args: Sequence[Value], keywords: Mapping[str, Value]
) -> dict[str, Value]:
    """Parameters by name for a call with these arguments."""
    spec = fn.node.args
    positional = [a.arg for a in spec.args]
    if spec.posonlyargs:
        positional = [*(a.arg for a in spec.posonlyargs), *positional]
    args = spread(fn, args, [n for n in positional if n not in keywords])
    bound: dict[str, Value] = dict(zip(positional, args, strict=False))
    rest = list(args[len(positional) :])
    extra: list[tuple[str, Value]] = []
    names = [*positional, *(a.arg for a in spec.kwonlyargs)]
    unknown_keywords: Value | None = None
    for name, value in keywords.items():
        if name == "**":
            unknown_keywords = value
        elif name in names:
            bound[name] = value
        else:
            extra.append((name, value))
    if any(name not in bound for name in names):
        defaults = dict(fn.defaults) if unknown_keywords is None else {}
        for name in names:
            if name not in bound:
                bound[name] = defaults.get(name) or Unknown()
    if spec.vararg:
        starred = [a for a in rest if isinstance(a, StarredRest)]
        items = None if starred else tuple(rest)
        bound[spec.vararg.arg] = Seq(
            "tuple", items, join_all(rest) if starred else None
        )
    if spec.kwarg:
        known = None if unknown_keywords is not None else tuple(extra)
        bound[spec.kwarg.arg] = Dict(known, unknown_keywords)
    return bound


@plain()
class StarredRest(Value):
    """A starred argument of unknown length."""

    elem: Value


def spread(
    fn: FunctionValue, args: Sequence[Value], free: Sequence[str]
) -> Sequence[Value]:
    """The arguments of `f(a, *rest, b)`, with items of `rest` for what lies between.

    Args:
      fn: the function.
      args: the arguments that have no name.
      free: the positional parameters that no argument names.
    """
    stars = [i for i, a in enumerate(args) if isinstance(a, StarredRest)]
    if not stars:
        return args
    before, after = args[: stars[0]], args[stars[-1] + 1 :]
    items = [a.elem if isinstance(a, StarredRest) else a for a in args[stars[0] :]]
    item = join_all(items[: len(items) - len(after)])
    if fn.node.args.vararg:
        # Where the last ones go is not known.
        item, after = join_all(items), [StarredRest(join_all(items))]
        return [*before, *[item for _ in free[len(before) :]], *after]
    defaults = dict(fn.defaults)
    between = free[len(before) : len(free) - len(after)]
    filled = [join_all([item, *_known(defaults.get(name))]) for name in between]
    return [*before, *filled, *after]


def _known(value: Value | None) -> list[Value]:
    return [] if value is None else [value]


def has_known_leaves(cls: ClassValue) -> bool:
    """Is every field of an instance a leaf, if it is not said to be static?

    Of a class that registers itself with functions of its own, nobody knows which
    numbers are leaves and which are part of the structure.
    """
    words = ("register_dataclass", "struct", "chex", "pytree_dataclass")
    return cls.kind in ("namedtuple", "module") or any(
        word in decorator for decorator in cls.decorators for word in words
    )


def as_tracers(value: Value, why: Why | None, *, depth: int = 6) -> Value:
    """The value as a transformed function sees it: its array leaves become tracers."""
    if depth == 0:
        return Unknown()
    match value:
        case Const(value=None) | Const(value=str()) | Lib() | FunctionValue():
            return value
        case Const() | Static():
            return scalar_tracer(value, why)
        case Array():
            return replace(value, traced=True, host=False, why=why or value.why)
        case Seq():
            items = value.items
            return replace(
                value,
                items=None
                if items is None
                else tuple(as_tracers(v, why, depth=depth - 1) for v in items),
                elem=as_tracers(value.elem, why, depth=depth - 1)
                if value.elem
                else None,
                why=why,
            )
        case Dict():
            pairs = value.items
            return Dict(
                None
                if pairs is None
                else tuple((k, as_tracers(v, why, depth=depth - 1)) for k, v in pairs),
                as_tracers(value.elem, why, depth=depth - 1) if value.elem else None,
                why=why,
            )
        case InstanceValue():
            if value.cls.kind == "enum":
                return value
            static = value.cls.static_fields
            known = has_known_leaves(value.cls)
            attrs = {
                name: attr
                if name in static
                or (not known and isinstance(attr, Const | Static | Unknown))
                else as_tracers(attr, why, depth=depth - 1)
                for name, attr in value.attrs.items()
            }
            return value.copied(attrs, traced=True, why=why)
        case Union():
            return join_all(
                [as_tracers(v, why, depth=depth - 1) for v in value.options]
            )
        case Unknown():
            return Array(True, tree=True, assumed=True, why=why)
        case _:
            return value


def as_concrete(value: Value, depth: int = 6) -> Value:
    """The value as the caller of a transformed function sees it."""
    if depth == 0:
        return Unknown()
    match value:
        case Array(traced=True):
            return replace(value, traced=False, assumed=False, why=None)
        case Seq():
            items = value.items
            return replace(
                value,
                items=None
                if items is None
                else tuple(as_concrete(v, depth - 1) for v in items),
                elem=as_concrete(value.elem, depth - 1) if value.elem else None,
                why=None,
            )
        case Dict():
            pairs = value.items
            return Dict(
                None
                if pairs is None
                else tuple((k, as_concrete(v, depth - 1)) for k, v in pairs),
                as_concrete(value.elem, depth - 1) if value.elem else None,
            )
        case InstanceValue() if value.traced or any(
            holds_tracer(v) for v in value.attrs.values()
        ):
            attrs = {k: as_concrete(v, depth - 1) for k, v in value.attrs.items()}
            return value.copied(attrs, traced=False, why=None)
        case Union():
            return join_all([as_concrete(v, depth - 1) for v in value.options])
        case _:
            return value


def has_axis(axes: Value | None, index: int) -> bool:
    match axes:
        case Const(value=None):
            return False
        case Const(value=tuple() as items) if index < len(items):
            return items[index] is not None
        case Seq(items=items) if items is not None and index < len(items):
            return items[index] != Const(None)
        case _:
            return True


def row(value: Value) -> Value:
    """One slice along a mapped axis."""
    match value:
        case Array(tree=True, assumed=True):
            return value
        case Array():
            inner = subscript(value, Static("int"))
            if not isinstance(inner, Array):
                return value
            return replace(inner, traced=True, why=value.why)
        case Seq(items=items) if items is not None:
            return replace(value, items=tuple(row(v) for v in items))
        case Dict(items=pairs) if pairs is not None:
            return Dict(tuple((k, row(v)) for k, v in pairs))
        case InstanceValue():
            return value.copied({k: row(v) for k, v in value.attrs.items()})
        case _:
            return value


def unrow(value: Value) -> Value:
    """The stack of the results of a mapped function or of a scan."""
    match value:
        case Array():
            shape = None
            if value.shape is not None:
                dims = sorted(map(repr, value.shape))
                shape = frozenset({"*stack(" + ",".join(dims) + ")"})
            return replace(value, shape=shape, tree=False)
        case Seq(items=items) if items is not None:
            return replace(value, items=tuple(unrow(v) for v in items))
        case Dict(items=pairs) if pairs is not None:
            return Dict(tuple((k, unrow(v)) for k, v in pairs))
        case InstanceValue():
            return value.copied({k: unrow(v) for k, v in value.attrs.items()})
        case _:
            return value
