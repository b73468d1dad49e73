"""Attributes and indexing of arrays, and `x.at[...]`."""

from __future__ import annotations

import ast
import math
from collections.abc import Sequence

from .operands import kind_letter, real_part, resolved, shape_value, strengthened
from .shapes import StaticDType, derived, known_dims, transposed
from .values import (
    SCALAR,
    Array,
    Const,
    Seq,
    Shape,
    Static,
    Value,
    holds_tracer,
    plain,
    replace,
    shape,
)


@plain()
class At(Array):
    """`x.at`, and `x.at[index]`: dtype and shape are those of `x`.

    `picked` is the shape of `x[index]`.
    """

    picked: Shape = None


def attribute_of(receiver: Array, name: str) -> Value | None:
    """`receiver.name`, for the attributes of an array that are not methods."""
    known = known_dims(receiver.shape)
    proven = replace(receiver, tree=False)
    match name:
        case "shape":
            return shape_value(receiver.shape)
        case "ndim":
            return Const(len(known)) if known is not None else Static("int")
        case "size":
            return Const(math.prod(known)) if known is not None else Static("int")
        case "dtype":
            return StaticDType("dtype", dtype=strengthened(receiver.dtype))
        case "itemsize" | "nbytes":
            return Static("int")
        case "weak_type":
            return Static("bool")
        case "sharding" | "aval" | "device" | "committed" | "flags" | "strides":
            return Static()
        case "T":
            return replace(proven, shape=transposed(receiver.shape))
        case "mT":
            return replace(proven, shape=derived(receiver.shape, ".mT"))
        case "real" | "imag":
            return replace(proven, dtype=real_part(receiver.dtype))
        case "at":
            return At(
                receiver.traced,
                receiver.dtype,
                receiver.shape,
                host=receiver.host,
                picked=receiver.shape,
                why=receiver.why,
            )
        case _:
            return None


# Functions of NumPy that store into their first argument, and what does so in JAX: a
# method of `x.at[...]`, or a function of its own.
STORING = {
    "numpy.add.at": "add",
    "numpy.subtract.at": "subtract",
    "numpy.multiply.at": "multiply",
    "numpy.divide.at": "divide",
    "numpy.maximum.at": "max",
    "numpy.minimum.at": "min",
    "numpy.copyto": "set",
    "numpy.put": "set",
    "numpy.putmask": "set",
    "numpy.place": "set",
    "numpy.fill_diagonal": "fill_diagonal",
}
# Functions of two arrays, whose third argument is the array for the result.
_BINARY = frozenset(
    f"numpy.{name}"
    for name in (
        *("add", "subtract", "multiply", "divide", "true_divide", "floor_divide"),
        *("maximum", "minimum", "power", "mod", "remainder", "arctan2", "hypot"),
    )
)
UPDATES = frozenset(
    [
        "set",
        "add",
        "subtract",
        "multiply",
        "mul",
        "divide",
        "power",
        "min",
        "max",
        "apply",
    ]
)


def updated(
    receiver: At, name: str, args: Sequence[Value], *, tracing: bool
) -> Value | None:
    """`x.at[i].set(v)`: dtype and shape of `x`."""
    found = next((t for arg in args if (t := holds_tracer(arg)) is not None), None)
    traced = receiver.traced or tracing or found is not None
    why = receiver.why or (found.why if found is not None else None)
    if name in UPDATES:
        # Division and a function of the user's may change the dtype of integers.
        kept = name not in ("divide", "apply") or kind_letter(receiver.dtype) == "f"
        return Array(traced, receiver.dtype if kept else None, receiver.shape, why=why)
    if name == "get":
        return Array(traced, receiver.dtype, receiver.picked, why=why)
    return None


def subscript(receiver: Array, index: Value) -> Value:
    """`receiver[index]`."""
    picked = indexed_shape(receiver, index)
    found = holds_tracer(index)
    if isinstance(receiver, At):
        return replace(
            receiver,
            traced=receiver.traced or found is not None,
            picked=picked,
            why=receiver.why or (found.why if found is not None else None),
        )
    traced = receiver.traced or found is not None
    return replace(
        receiver,
        traced=traced,
        host=receiver.host and not traced,
        shape=picked,
        tree=False,
        assumed=receiver.assumed and receiver.traced and found is None,
        why=receiver.why or (found.why if found is not None else None),
    )


def indexed_shape(receiver: Array, index: Value) -> Shape:
    """The shape of `receiver[index]`."""
    parts = _index_parts(index)
    if parts is None:
        return None
    known = known_dims(receiver.shape)
    if known is None:
        return _indexed_symbol(receiver.shape, parts)
    consumed = sum(1 for p in parts if p != Const(None) and p != Const(...))
    if consumed > len(known) or sum(p == Const(...) for p in parts) > 1:
        return None
    arrays = [p for p in parts if _is_gather(p)]
    if len(arrays) > 1:
        return None
    dims: list[int] = []
    rest = list(known)
    for part in parts:
        piece = _piece(part, rest, len(known) - consumed)
        if piece is None:
            return None
        dims += piece
    return shape(*dims, *rest)


def _index_parts(index: Value) -> list[Value] | None:
    """The parts of an index, with None for one that we cannot judge."""
    match index:
        case Const(value=tuple() as items):
            return [Const(item) for item in items]
        case Seq(kind="tuple", items=tuple(items)):
            parts: list[Value] = [resolved(item) for item in items]
        case Seq():
            return None
        case _:
            parts = [resolved(index)]
    for part in parts:
        if not _is_index(part):
            return None
    return parts


def _is_index(part: Value) -> bool:
    match part:
        case Const(value=bool()):
            return False
        case Const(value=int() | slice()) | Const(value=None):
            return True
        case Const():
            return part.value is ...
        case Static(type="int"):
            return True
        case Array():
            return part.shape is not None and kind_letter(part.dtype) == "i"
        case _:
            return False


def _is_gather(part: Value) -> bool:
    return isinstance(part, Array) and part.shape != SCALAR


def _piece(part: Value, rest: list[int], skipped: int) -> list[int] | None:
    """The dimensions that one part of an index gives; eats those it uses up."""
    if part == Const(None):
        return [1]
    if part == Const(...):
        eaten = rest[:skipped]
        del rest[:skipped]
        return eaten
    size = rest.pop(0)
    match part:
        case Const(value=slice() as cut):
            try:
                return [len(range(*cut.indices(size)))]
            except (TypeError, ValueError):
                return None
        case Array() if _is_gather(part):
            known = known_dims(part.shape)
            return list(known) if known is not None else None
        case _:
            return []


def _indexed_symbol(dims: Shape, parts: Sequence[Value]) -> Shape:
    """The symbol for the shape of an indexed array: `"?x[]"` for a row of `"?x"`."""
    spelled = []
    for part in parts:
        match part:
            case Const(value=slice() as cut):
                ends = (cut.start, cut.stop, cut.step)
                spelled.append(":".join("" if n is None else str(n) for n in ends))
            case Const(value=None):
                spelled.append("None")
            case Const() if part.value is ...:
                spelled.append("...")
            case Array() if _is_gather(part):
                return None
            case _:
                spelled.append("")
    return derived(dims, f"[{','.join(spelled)}]")


def out_of(name: str, call: ast.Call) -> ast.expr | None:
    """The array into which a call of NumPy puts its result: `np.add(a, b, out=c)`."""
    if not name.startswith("numpy."):
        return None
    for keyword in call.keywords:
        if keyword.arg == "out":
            return keyword.value
    is_given = name in _BINARY and len(call.args) == 3
    return call.args[2] if is_given else None
