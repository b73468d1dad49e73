"""Functions that make arrays, and that arrange the elements of others anew."""

from __future__ import annotations

import math
from collections.abc import Sequence

from .indexing import indexed_shape
from .operands import (
    Call,
    dtype_argument,
    dtype_of,
    given_dtype,
    known_items,
    shape_argument,
    shape_of,
    strengthened,
)
from .shapes import derived, ints, known_dims, reshaped, stacked, transposed
from .values import (
    FLOAT,
    INT,
    SCALAR,
    Array,
    Const,
    DType,
    Seq,
    Shape,
    Unknown,
    Value,
    broadcast,
    inexact,
    promote,
    replace,
    shape,
)


def filled_call(call: Call) -> Value:
    """`zeros`, `ones`, `empty`."""
    dims = shape_argument(call.arg(0, "shape"))
    return call.array(given_dtype(call, FLOAT), dims)


def full_call(call: Call) -> Value:
    fill = call.arg(1, "fill_value")
    otherwise = dtype_of(fill) if fill is not None else None
    dims = shape_argument(call.arg(0, "shape"))
    return call.array(given_dtype(call, otherwise), dims)


def like_call(call: Call) -> Value:
    first = call.arg(0, "a", "x", "prototype", "object")
    if first is None:
        return Unknown()
    wanted = call.param("shape")
    dims = shape_of(first)
    if wanted is not None and wanted != Const(None):
        dims = shape_argument(wanted)
    return call.array(given_dtype(call, dtype_of(first)), dims)


def eye_call(call: Call) -> Value:
    rows, columns = ints(call.arg(0, "N", "n")), None
    if call.function == "identity":
        columns = rows
    else:
        second = call.arg(1, "M")
        columns = ints(second) if second not in (None, Const(None)) else rows
    dims = shape(*rows, *columns) if rows is not None and columns is not None else None
    return call.array(given_dtype(call, FLOAT), dims)


def arange_call(call: Call) -> Value:
    bounds = [
        v
        for v in (*call.args[:3], *map(call.keywords.get, ("start", "stop", "step")))
        if v
    ]
    dtype = given_dtype(call, strengthened(promote(*map(dtype_of, bounds))))
    numbers = [v.value for v in bounds if isinstance(v, Const)]
    if (
        len(numbers) == len(bounds)
        and all(type(n) in (int, float) for n in numbers)
        and call.args
    ):
        count = _arange_length(*numbers)
        return call.array(dtype, shape(count)) if count is not None else Unknown()
    return call.array(dtype, None)


def _arange_length(*numbers: float) -> int | None:
    """How many numbers a range has; None if the arguments are those of none."""
    if len(numbers) == 1:
        numbers = (0, *numbers)
    start, stop, step = (*numbers, 1)[:3]
    length = (stop - start) / step if step else math.inf
    return max(0, math.ceil(length)) if math.isfinite(length) else None


def linspace_call(call: Call) -> Value:
    ends = [v for v in (call.arg(0, "start"), call.arg(1, "stop")) if v is not None]
    dtype = given_dtype(call, strengthened(inexact(promote(*map(dtype_of, ends)))))
    if call.keywords.get("retstep", Const(False)) != Const(False):
        return Unknown()
    count = ints(call.param("num") or Const(50))
    flat = broadcast(*map(shape_of, ends)) == SCALAR
    return call.array(dtype, shape(*count) if flat and count is not None else None)


def asarray_call(call: Call) -> Value:
    """`array` and `asarray`: of a scalar weak types stay, of a list they do not."""
    first = call.arg(0, "object", "a")
    if first is None:
        return Unknown()
    if isinstance(first, Array):
        return replace(
            call.array(given_dtype(call, first.dtype), first.shape), key=first.key
        )
    listed = isinstance(first, Seq) or (
        isinstance(first, Const) and isinstance(first.value, tuple | list)
    )
    if listed:
        dtype, dims = _nested(first)
        return call.array(given_dtype(call, strengthened(dtype)), dims)
    return call.array(given_dtype(call, dtype_of(first)), shape_of(first))


def _nested(value: Value) -> tuple[DType | None, Shape]:
    """Dtype and shape of a nest of lists."""
    match value:
        case Const(value=tuple() | list() as items):
            parts: Sequence[Value] = [Const(item) for item in items]
        case Seq(items=tuple(known)):
            parts = known
        case Seq():
            return (_nested(value.elem)[0] if value.elem is not None else None), None
        case _:
            return dtype_of(value), shape_of(value)
    if not parts:
        return FLOAT, shape(0)
    inner = [_nested(part) for part in parts]
    return promote(*(dtype for dtype, _ in inner)), stacked([dims for _, dims in inner])


def one_hot_call(call: Call) -> Value:
    first = call.arg(0, "x")
    count = ints(call.arg(1, "num_classes"))
    known = known_dims(shape_of(first)) if first is not None else None
    plain = call.keywords.get("axis", Const(-1)) == Const(-1)
    dims = None
    if known is not None and count is not None and plain:
        dims = shape(*known, *count)
    return call.array(given_dtype(call, FLOAT), dims)


def rearranged_call(call: Call) -> Value:
    """Dtype of the first operand; the shape is a symbol of its own at best."""
    first = next(iter(call.args), None) or next(iter(call.keywords.values()), None)
    if first is None:
        return Unknown()
    if isinstance(first, Seq):
        return call.array(None, None)
    key = isinstance(first, Array) and first.key
    dtype = dtype_of(first)
    if dtype is not None and dtype.is_weak:
        dtype = None  # some keep a weak type, some do not
    return call.array(dtype, None, key=key)


def same_array_call(call: Call) -> Value:
    """Dtype and shape of the first operand: `roll`, `flip`, `sort`, `copy`, ..."""
    first = next(iter(call.args), None) or next(iter(call.keywords.values()), None)
    if first is None or isinstance(first, Seq):
        return Unknown()
    key = isinstance(first, Array) and first.key
    return call.array(dtype_of(first), shape_of(first), key=key)


def identity_call(call: Call) -> Value:
    """`stop_gradient`, `device_put`, ...: the argument, which may be any pytree."""
    if not call.args:
        return Unknown()
    first = call.args[0]
    if not isinstance(first, Array):
        return same_array_call(call) if shape_of(first) == SCALAR else first
    return replace(
        call.array(first.dtype, first.shape, key=first.key),
        traced=first.traced or call.tracing,
        tree=first.tree,
        assumed=first.assumed,
    )


def cumulative_call(call: Call) -> Value:
    first = call.arg(0, "a", "x", "operand")
    if first is None:
        return Unknown()
    dtype = strengthened(dtype_of(first))
    if dtype is not None and dtype.kind == "b" and not call.name.startswith("jax.lax."):
        dtype = INT
    flat = call.param("axis") in (None, Const(None)) and call.name.startswith(
        "jax.numpy"
    )
    known = known_dims(shape_of(first))
    dims = shape_of(first)
    if flat:
        dims = shape(math.prod(known)) if known is not None else None
    return call.array(given_dtype(call, dtype), dims)


def astype_call(call: Call) -> Value:
    first = call.arg(0, "x", "operand")
    wanted = call.arg(1, "dtype", "new_dtype")
    if first is None:
        return Unknown()
    return call.array(dtype_argument(wanted), shape_of(first))


def stack_call(call: Call) -> Value:
    items = known_items(call.arg(0, "arrays"))
    if items is None:
        return call.array(None, None)
    dtype = given_dtype(call, promote(*map(dtype_of, items)))
    axis = ints(call.arg(1, "axis") or Const(0))
    dims = stacked([shape_of(v) for v in items], axis[0]) if axis and items else None
    return call.array(dtype, dims)


def concatenate_call(call: Call) -> Value:
    items = known_items(call.arg(0, "arrays", "tup", "operands", "seq"))
    if items is None:
        return call.array(None, None)
    return call.array(given_dtype(call, promote(*map(dtype_of, items))), None)


def append_call(call: Call) -> Value:
    return call.array(promote(*map(dtype_of, call.operands[:2])), None)


def broadcast_to_call(call: Call) -> Value:
    first = call.arg(0, "array")
    if first is None:
        return Unknown()
    return call.array(dtype_of(first), shape_argument(call.arg(1, "shape")))


def reshape_call(call: Call) -> Value:
    first = call.arg(0, "a", "operand")
    if first is None:
        return Unknown()
    wanted = call.arg(1, "shape", "new_sizes")
    dims = None if wanted is None else reshaped(shape_of(first), wanted)
    return call.array(dtype_of(first), dims)


def ravel_call(call: Call) -> Value:
    first = call.arg(0, "a")
    if first is None:
        return Unknown()
    known = known_dims(shape_of(first))
    dims = shape(math.prod(known)) if known is not None else None
    if known is None:
        dims = derived(shape_of(first), ".ravel")
    return call.array(dtype_of(first), dims)


def transpose_call(call: Call) -> Value:
    first = call.arg(0, "a", "operand")
    if first is None:
        return Unknown()
    axes = call.arg(1, "axes", "permutation")
    order = ints(axes) if axes not in (None, Const(None)) else None
    if order is None and axes not in (None, Const(None)):
        return call.array(dtype_of(first), None)
    return call.array(dtype_of(first), transposed(shape_of(first), order))


def expand_dims_call(call: Call) -> Value:
    first = call.arg(0, "a", "array")
    axes = ints(call.arg(1, "axis", "dimensions"))
    if first is None:
        return Unknown()
    known = known_dims(shape_of(first))
    if known is None or axes is None:
        dims = derived(shape_of(first), f".expand{axes}") if axes is not None else None
        return call.array(dtype_of(first), dims)
    rank = len(known) + len(axes)
    new = {axis % rank for axis in axes}
    rest = iter(known)
    return call.array(
        dtype_of(first), shape(*(1 if i in new else next(rest) for i in range(rank)))
    )


def squeeze_call(call: Call) -> Value:
    first = call.arg(0, "a", "array")
    axis = call.arg(1, "axis", "dimensions")
    if first is None:
        return Unknown()
    known = known_dims(shape_of(first))
    axes = ints(axis) if axis not in (None, Const(None)) else None
    if known is None or (axes is None and axis not in (None, Const(None))):
        return call.array(dtype_of(first), None)
    rank = len(known)
    gone = {i for i, n in enumerate(known) if n == 1}
    if axes is not None:
        gone = {a % rank for a in axes if rank}
    return call.array(
        dtype_of(first), shape(*(n for i, n in enumerate(known) if i not in gone))
    )


def take_call(call: Call) -> Value:
    first = call.arg(0, "a")
    index = call.arg(1, "indices")
    if not isinstance(first, Array) or index is None:
        return call.array(dtype_of(first) if first else None, None)
    axis = call.param("axis") or Const(None)
    dims = shape_of(index) if axis == Const(None) else None
    if axis == Const(0):
        dims = indexed_shape(first, index)
    return call.array(first.dtype, dims)


def dynamic_index_call(call: Call) -> Value:
    first = call.arg(0, "operand")
    if first is None:
        return Unknown()
    axis = ints(call.arg(2, "axis") or Const(0))
    keep = call.arg(3, "keepdims") or Const(True)
    known = known_dims(shape_of(first))
    dims: Shape = None
    if axis is not None and known and isinstance(keep, Const):
        at = axis[0] % len(known)
        middle = (1,) if keep.value else ()
        dims = shape(*known[:at], *middle, *known[at + 1 :])
    elif axis == (0,) and keep == Const(False):
        dims = derived(shape_of(first), "[]")
    return call.array(dtype_of(first), dims)


def dynamic_slice_call(call: Call) -> Value:
    first = call.arg(0, "operand")
    sizes = shape_argument(call.arg(2, "slice_sizes"))
    return call.array(dtype_of(first), sizes) if first is not None else Unknown()


def split_call(call: Call) -> Value:
    first = call.arg(0, "ary", "operand")
    if first is None:
        return Unknown()
    part = call.array(dtype_of(first), None)
    where = call.arg(1, "indices_or_sections", "sizes")
    match where:
        case Const(value=int(n)) if 0 < n <= 16:
            return Seq("list", (part,) * n)
        case Seq(items=tuple(cuts)) if call.name != "jax.lax.split":
            return Seq("list", (part,) * (len(cuts) + 1))
        case _:
            return Seq("list", None, part)


def meshgrid_call(call: Call) -> Value:
    sizes = [known_dims(shape_of(v)) for v in call.args]
    dims: Shape = None
    if call.keywords.get("sparse", Const(False)) == Const(False) and all(
        size is not None and len(size) == 1 for size in sizes
    ):
        counts = [size[0] for size in sizes if size]
        if call.keywords.get("indexing", Const("xy")) != Const("ij"):
            counts[:2] = reversed(counts[:2])
        dims = shape(*counts)
    return Seq("list", tuple(call.array(dtype_of(v), dims) for v in call.args))


def broadcast_arrays_call(call: Call) -> Value:
    dims = broadcast(*map(shape_of, call.args))
    return Seq("list", tuple(call.array(dtype_of(v), dims) for v in call.args))


def atleast_call(call: Call) -> Value:
    if len(call.args) != 1:
        return Seq("list", tuple(call.array(dtype_of(v), None) for v in call.args))
    known = known_dims(shape_of(call.args[0]))
    rank = int(call.function[-2])
    dims: Shape = None
    if known is not None and (len(known) >= rank or rank == 1):
        dims = shape(*known) if len(known) >= rank else shape(1)
    return call.array(dtype_of(call.args[0]), dims)


def unique_call(call: Call) -> Value:
    if len(call.args) > 1 or any(name.startswith("return") for name in call.keywords):
        return Seq("tuple", None, call.array(None, None))
    first = call.arg(0, "ar", "x")
    return call.array(dtype_of(first) if first is not None else None, None)
