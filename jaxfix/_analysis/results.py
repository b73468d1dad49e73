"""What library calls, operators, methods and attributes give, on abstract values.

Three rules hold throughout.

- A result is traced if an operand is; and under a trace (`tracing`) every jax call makes
  a tracer, even of constants, and so does arithmetic with a captured `jax.Array`.
- Dtypes and shapes follow JAX, weak types included. Where a rule is not known for
  certain the answer is None, since a wrong certainty is worse than none.
- The result carries the `why` of its first traced operand.

NumPy's 64-bit dtypes have the symbols of JAX's defaults, `"float"` and `"int"`: that is
what they become when they meet a jax array, with or without x64.
"""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from . import jax_api
from .values import (
    BOOL,
    FLOAT,
    INT,
    SCALAR,
    WEAK,
    WEAK_FLOAT,
    WEAK_INT,
    Array,
    Const,
    DType,
    Lib,
    Seq,
    Shape,
    Static,
    Union,
    Unknown,
    Value,
    broadcast,
    holds_tracer,
    inexact,
    promote,
    shape,
    strong,
    type_name,
)


@dataclass(frozen=True, slots=True)
class StaticDType(Static):
    """A dtype object, such as `x.dtype`, whose symbol is known."""

    dtype: DType | None = None


@dataclass(frozen=True, slots=True)
class StaticShape(Static):
    """A shape, such as `x.shape`, whose symbol is known."""

    shape: Shape = None


@dataclass(frozen=True, slots=True)
class At(Array):
    """`x.at`, and `x.at[index]`: dtype and shape are those of `x`.

    `picked` is the shape of `x[index]`.
    """

    picked: Shape = None


INT32 = strong("int32")


# --- What a value is as an operand


def dtype_of(value: Value) -> DType | None:
    """The symbolic dtype with which a value takes part in arithmetic."""
    match value:
        case Array():
            return value.dtype
        case Const(value=bool()) | Static(type="bool"):
            return BOOL
        case Const(value=int()) | Static(type="int"):
            return WEAK[int]
        case Const(value=float()) | Static(type="float"):
            return WEAK[float]
        case Const(value=complex()) | Static(type="complex"):
            return WEAK[complex]
        case Union(options=options):
            dtypes = {dtype_of(option) for option in options}
            return dtypes.pop() if len(dtypes) == 1 else None
        case _:
            return None


def shape_of(value: Value) -> Shape:
    """The symbolic shape with which a value takes part in arithmetic."""
    match value:
        case Array():
            return value.shape
        case Const(value=bool() | int() | float() | complex()):
            return SCALAR
        case Static(type="int" | "float" | "bool" | "complex"):
            return SCALAR
        case Union(options=options):
            shapes = {shape_of(option) for option in options}
            return shapes.pop() if len(shapes) == 1 else None
        case _:
            return None


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


def strengthened(dtype: DType | None) -> DType | None:
    """The dtype once its weak type is lost, as in a reduction.

    Of an unknown dtype with a weak kind (`x * 2.0`) nothing is lost: it stands for the
    inexact version of the unknown one.
    """
    if dtype is None or dtype.strong:
        return dtype
    return {WEAK_INT: INT, WEAK_FLOAT: FLOAT}.get(dtype.weak, promote(dtype))


def summed(dtype: DType | None) -> DType | None:
    """The dtype of a sum or product: small integers are widened."""
    dtype = strengthened(dtype)
    if dtype is None:
        return None
    match dtype.kind:
        case "b":
            return INT
        case "i":
            unsigned = all(name.startswith("uint") for name in dtype.strong)
            return strong("uint") if unsigned else INT
        case "f" | "c":
            return dtype
        case _ if dtype.weak:
            return dtype
        case _:
            return DType(frozenset(f"{name}:sum" for name in dtype.strong))


def _real(dtype: DType | None) -> DType | None:
    """The dtype of the real part, or None for a complex dtype."""
    return dtype if dtype is not None and dtype.kind in ("b", "i", "f") else None


# --- Calls


@dataclass(frozen=True, slots=True)
class Call:
    """A call of a library function, under its canonical name."""

    name: str
    args: tuple[Value, ...]
    keywords: Mapping[str, Value]
    tracing: bool

    @property
    def function(self) -> str:
        return self.name.rpartition(".")[2]

    def arg(self, position: int | None, *names: str) -> Value | None:
        """The argument at a position or under one of these keywords."""
        if position is not None and position < len(self.args):
            return self.args[position]
        for name in names:
            if name in self.keywords:
                return self.keywords[name]
        return None

    def param(self, name: str) -> Value | None:
        """The argument for a static parameter of the function."""
        api = jax_api.lookup(self.name)
        for param in api.static_params if api is not None else ():
            if param.name == name:
                return self.arg(param.position, name)
        return self.keywords.get(name)

    @property
    def operands(self) -> list[Value]:
        """The arguments that are arrays, positional ones first."""
        api = jax_api.lookup(self.name)
        static = api.static_params if api is not None else ()
        places = {param.position for param in static}
        names = {param.name for param in static} | _OPTIONS
        return [
            *(value for place, value in enumerate(self.args) if place not in places),
            *(value for name, value in self.keywords.items() if name not in names),
        ]

    def array(self, dtype: DType | None, dims: Shape, *, key: bool = False) -> Array:
        """An array that this call gives."""
        parts = (*self.args, *self.keywords.values())
        found = next((t for part in parts if (t := holds_tracer(part)) is not None), None)
        host = self.name.startswith("numpy.") and found is None
        traced = found is not None or (self.tracing and not host)
        return Array(
            traced,
            dtype,
            dims,
            host=host,
            key=key,
            why=found.why if found is not None else None,
        )


_OPTIONS = frozenset(
    ["out", "where", "axis", "dtype", "order", "casting", "subok", "keepdims", "precision", "preferred_element_type", "rtol", "atol", "equal_nan", "mode", "indices_are_sorted", "unique_indices", "fill_value", "initial", "approximate", "axis_name", "out_sharding", "size"]
)


def result_of(
    name: str,
    args: Sequence[Value],
    keywords: Mapping[str, Value],
    *,
    tracing: bool,
) -> Value:
    """What the library function `name` gives for these arguments.

    A NumPy function on a tracer gives what its `jax.numpy` namesake would, even where it
    fails, so that the analysis goes on beyond the mistake.
    """
    name = jax_api.canonical(name)
    call = Call(name, tuple(args), keywords, tracing)
    if name.removeprefix("builtins.") in jax_api.IMPURE or name.startswith("numpy.random."):
        return _impure(call)
    parts = (*call.args, *keywords.values())
    traced = any(holds_tracer(part) is not None for part in parts)
    module, _, function = name.rpartition(".")
    if module == "numpy" or module.startswith("numpy."):
        if not traced and any(_is_unknown(part) for part in parts):
            return Unknown()
        if not traced:
            return _on_host(call)
        call = replace(call, name="jax." + name)
    if module == "math":
        if not traced:
            return _math(function, call.args)
        call = replace(call, name=f"jax.numpy.{_MATH_TO_JNP.get(function, function)}")
    if module == "builtins":
        return _builtin(call)
    return _library(call)


def _is_unknown(value: Value) -> bool:
    if isinstance(value, Seq):
        parts = value.items if value.items is not None else (value.elem,)
        return any(part is None or _is_unknown(part) for part in parts)
    return isinstance(value, Unknown) or (
        isinstance(value, Union) and any(_is_unknown(part) for part in value.options)
    )


def _library(call: Call) -> Value:
    """A jax function."""
    dtype = jax_api.is_dtype(call.name)
    if dtype is not None:
        first = call.arg(0, "x")
        return call.array(strong(dtype), shape_of(first) if first is not None else SCALAR)
    if call.function in _DENSITIES and call.name.startswith("jax.scipy.stats."):
        return call.array(_elementwise_dtype(call), _elementwise_shape(call))
    api = jax_api.lookup(call.name)
    if api is None:
        return Unknown()
    special = _SPECIAL.get(call.name) or _SPECIAL.get(_unqualified(call.name))
    if special is not None:
        return special(call)
    match api.result:
        case "same" | "float" | "bool" | "int":
            return _elementwise(call, api.result)
        case "reduce-same" | "reduce-float" | "reduce-bool" | "reduce-int":
            return _reduction(call, api.result)
        case "structure" | "like":
            return _rearranged(call)
        case "matmul":
            return call.array(promote(*map(dtype_of, call.operands)), None)
        case "linalg":
            return call.array(None, None)
        case "create":
            return call.array(None, None)
        case "random":
            return _random(call)
        case "key":
            return call.array(None, None, key=True)
        case "tuple":
            return Seq("tuple", None, call.array(None, None))
        case "static":
            return Static()
        case _:
            return Unknown()


def _unqualified(name: str) -> str:
    """`jax.lax.sort` → `sort`, for functions that are alike in several modules."""
    module, _, function = name.rpartition(".")
    return function if module in ("jax.numpy", "jax.lax", "jax.numpy.linalg") else ""


_DENSITIES = frozenset(
    ["pdf", "logpdf", "cdf", "logcdf", "sf", "logsf", "ppf", "isf", "pmf", "logpmf", "entropy"]
)


# --- Elementwise functions

# These give a strong dtype although the argument is weak (measured).
_LOSE_WEAK = frozenset(
    ["angle", "beta", "dawsn", "erfcx", "exp1", "expi", "expn", "gamma", "gammasgn", "gelu", "log10", "log2", "log_ndtr", "nan_to_num", "ndtr", "ndtri", "owens_t", "poch", "softmax", "log_softmax", "spacing", "spence"]
)
# These give a weak dtype only if no argument is strong.
_WEAK_IF_ALL_ARE = frozenset(["heaviside", "hypot", "kl_div", "logaddexp2", "rel_entr"])
# These give a weak float for integers, since they compare with Python floats.
_INT_TO_WEAK = frozenset(
    ["celu", "elu", "hard_sigmoid", "hard_silu", "hard_swish", "leaky_relu", "relu6", "selu", "sparse_plus", "sparse_sigmoid"]
)
_BOOL_TO_INT = frozenset(["square", "floor_divide", "fmod", "remainder", "left_shift", "right_shift"])


def _elementwise(call: Call, result: str) -> Value:
    dims = _elementwise_shape(call)
    if result == "bool":
        return call.array(BOOL, dims)
    if result == "int":
        dtype = strong("uint8") if call.function == "bitwise_count" else INT32
        return call.array(dtype, dims)
    return call.array(_elementwise_dtype(call), dims)


def _elementwise_shape(call: Call) -> Shape:
    operands = call.operands
    match call.function:
        case "searchsorted":
            operands = operands[1:2]
        case "interp" | "digitize" | "isin" | "nan_to_num":
            operands = operands[:1]
    return broadcast(*map(shape_of, operands))


def _elementwise_dtype(call: Call) -> DType | None:
    dtypes = [dtype_of(value) for value in call.operands]
    api = jax_api.lookup(call.name)
    floating = api is None or api.result == "float"
    function = call.function
    if function in ("nan_to_num", "gelu"):
        dtypes = dtypes[:1]
    dtype = promote(*dtypes)
    if dtype is None:
        return None
    if function == "rint" and dtype.kind in ("b", "i"):
        return None if dtype.is_weak else FLOAT
    if function in _WEAK_IF_ALL_ARE and any(d and d.strong for d in dtypes):
        return strengthened(inexact(dtype))
    if function in ("abs", "real", "imag", "angle") and _real(dtype) is None:
        return None
    kind = dtype.kind
    if function in _INT_TO_WEAK or (function == "relu" and kind == "b"):
        return dtype if kind == "f" else None
    if function in _BOOL_TO_INT and kind == "b":
        return INT32
    if floating:
        dtype = inexact(dtype)
    if function in _LOSE_WEAK or (function == "nan_to_num" and kind == "f"):
        return strengthened(dtype)
    if function in ("gcd", "heaviside", "lcm") and any(d and d.is_weak for d in dtypes):
        return None
    return dtype


def _where(call: Call) -> Value:
    choices = [v for v in (call.arg(1, "x"), call.arg(2, "y")) if v is not None]
    if len(choices) < 2:
        return Seq("tuple", None, call.array(INT, None))
    condition = call.arg(0, "condition")
    shapes = [shape_of(v) for v in (*choices, *([condition] if condition else []))]
    return call.array(promote(*map(dtype_of, choices)), broadcast(*shapes))


def _power(call: Call) -> Value:
    operands = call.operands
    if len(operands) != 2:
        return call.array(None, None)
    dtype = power_dtype(operands[0], operands[1])
    return call.array(dtype, broadcast(*map(shape_of, operands)))


def power_dtype(base: Value, exponent: Value) -> DType | None:
    """The dtype of `base ** exponent`, which is not the promoted one for integers."""
    left, right = dtype_of(base), dtype_of(exponent)
    dtype = promote(left, right)
    if dtype is None or left is None or right is None:
        return None
    if dtype.kind in ("b", "i"):
        if promote(left) == BOOL:
            return INT32 if isinstance(exponent, Const) or right.strong else None
        if isinstance(exponent, Const):
            return left
        return INT32 if dtype == BOOL else strengthened(dtype)
    if left.is_weak and left.kind == "f" and right.strong and right.kind in ("b", "i"):
        return FLOAT
    return dtype


# --- Reductions


def _reduction(call: Call, result: str) -> Value:
    first = call.arg(0, "a", "x", "operand", "arr")
    if first is None:
        return Unknown()
    return call.array(_reduced_dtype(call, result, first), _reduced_shape(call, first))


def _reduced_dtype(call: Call, result: str, first: Value) -> DType | None:
    wanted = call.param("dtype") or call.param("index_dtype")
    if wanted is not None and wanted != Const(None):
        return dtype_argument(wanted)
    if result == "reduce-bool":
        return BOOL
    if result == "reduce-int":
        return INT
    dtype = dtype_of(first)
    if call.function in ("std", "var", "nanstd", "nanvar"):
        dtype = _real(dtype)
    if call.function == "average" and (weights := call.arg(2, "weights")) is not None:
        dtype = promote(dtype, dtype_of(weights))
    if result == "reduce-float":
        return strengthened(inexact(dtype))
    if "initial" in call.keywords and (dtype is None or dtype.kind != "f"):
        return None
    if call.function in ("sum", "prod", "nansum", "nanprod", "trace"):
        return summed(dtype)
    return strengthened(dtype)


def _reduced_shape(call: Call, first: Value) -> Shape:
    if call.function in ("allclose", "array_equal", "array_equiv"):
        return SCALAR
    if call.function in ("trace", "matrix_rank"):
        return derived(shape_of(first), ".trace")
    if call.function in ("quantile", "percentile", "nanquantile", "nanpercentile"):
        quantile = call.arg(1, "q")
        if quantile is None or shape_of(quantile) != SCALAR:
            return None
    if call.name.startswith("jax.lax.p"):  # over a mapped axis: psum, pmean, ...
        return shape_of(first)
    axes = "axes" if call.name.startswith("jax.lax.reduce_") else "axis"
    return reduced_shape(shape_of(first), call.param(axes), call.param("keepdims"))


def reduced_shape(dims: Shape, axis: Value | None, keepdims: Value | None) -> Shape:
    """The shape after a reduction over `axis`."""
    keep = keepdims not in (None, Const(False))
    if not keep and axis in (None, Const(None)):
        return SCALAR
    if keep and keepdims != Const(True):
        return None
    axes = _ints(axis) if axis not in (None, Const(None)) else None
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


def _norm(call: Call) -> Value:
    first = call.arg(0, "x")
    if first is None:
        return Unknown()
    dtype = strengthened(inexact(_real(dtype_of(first))))
    dims = reduced_shape(shape_of(first), call.param("axis"), call.param("keepdims"))
    return call.array(dtype, dims)


# --- New arrays


def dtype_argument(value: Value | None) -> DType | None:
    """The dtype that a `dtype=` argument asks for."""
    match value:
        case StaticDType():
            return value.dtype
        case Lib(name=name):
            plain = name.removeprefix("builtins.")
            if plain in _PYTHON_DTYPES:
                return _PYTHON_DTYPES[plain]
            symbol = jax_api.is_dtype(jax_api.canonical(name))
            return strong(symbol) if symbol is not None else None
        case Const(value=str(text)):
            symbol = jax_api.is_dtype(f"numpy.{text}")
            return _PYTHON_DTYPES.get(text) or (strong(symbol) if symbol else None)
        case _:
            return None


_PYTHON_DTYPES = {
    "float": FLOAT,
    "int": INT,
    "bool": BOOL,
    "complex": strong("complex"),
}


def shape_argument(value: Value | None) -> Shape:
    """The shape that a `shape` argument asks for."""
    if isinstance(value, StaticShape):
        return value.shape
    dims = _ints(value)
    return shape(*dims) if dims is not None else None


def _ints(value: Value | None) -> tuple[int, ...] | None:
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


def _given_dtype(call: Call, otherwise: DType | None) -> DType | None:
    wanted = call.param("dtype")
    if wanted is None or wanted == Const(None):
        return otherwise
    return dtype_argument(wanted)


def _filled(call: Call) -> Value:
    """`zeros`, `ones`, `empty`."""
    dims = shape_argument(call.arg(0, "shape"))
    return call.array(_given_dtype(call, FLOAT), dims)


def _full(call: Call) -> Value:
    fill = call.arg(1, "fill_value")
    otherwise = dtype_of(fill) if fill is not None else None
    dims = shape_argument(call.arg(0, "shape"))
    return call.array(_given_dtype(call, otherwise), dims)


def _like(call: Call) -> Value:
    first = call.arg(0, "a", "x", "prototype", "object")
    if first is None:
        return Unknown()
    wanted = call.param("shape")
    dims = shape_of(first)
    if wanted is not None and wanted != Const(None):
        dims = shape_argument(wanted)
    return call.array(_given_dtype(call, dtype_of(first)), dims)


def _eye(call: Call) -> Value:
    rows, columns = _ints(call.arg(0, "N", "n")), None
    if call.function == "identity":
        columns = rows
    else:
        second = call.arg(1, "M")
        columns = _ints(second) if second not in (None, Const(None)) else rows
    dims = shape(*rows, *columns) if rows is not None and columns is not None else None
    return call.array(_given_dtype(call, FLOAT), dims)


def _arange(call: Call) -> Value:
    bounds = [v for v in (*call.args[:3], *map(call.keywords.get, ("start", "stop", "step"))) if v]
    dtype = _given_dtype(call, strengthened(promote(*map(dtype_of, bounds))))
    numbers = [v.value for v in bounds if isinstance(v, Const)]
    if len(numbers) == len(bounds) and all(type(n) is int for n in numbers) and call.args:
        try:
            return call.array(dtype, shape(len(range(*numbers))))
        except (TypeError, ValueError):
            return Unknown()
    return call.array(dtype, None)


def _linspace(call: Call) -> Value:
    ends = [v for v in (call.arg(0, "start"), call.arg(1, "stop")) if v is not None]
    dtype = _given_dtype(call, strengthened(inexact(promote(*map(dtype_of, ends)))))
    if call.keywords.get("retstep", Const(False)) != Const(False):
        return Unknown()
    count = _ints(call.param("num") or Const(50))
    flat = broadcast(*map(shape_of, ends)) == SCALAR
    return call.array(dtype, shape(*count) if flat and count is not None else None)


def _asarray(call: Call) -> Value:
    """`array` and `asarray`: of a scalar weak types stay, of a list they do not."""
    first = call.arg(0, "object", "a")
    if first is None:
        return Unknown()
    if isinstance(first, Array):
        return replace(
            call.array(_given_dtype(call, first.dtype), first.shape), key=first.key
        )
    listed = isinstance(first, Seq) or (
        isinstance(first, Const) and isinstance(first.value, tuple | list)
    )
    if listed:
        dtype, dims = _nested(first)
        return call.array(_given_dtype(call, strengthened(dtype)), dims)
    return call.array(_given_dtype(call, dtype_of(first)), shape_of(first))


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
    return promote(*(dtype for dtype, _ in inner)), _stacked([dims for _, dims in inner])


def _stacked(shapes: Sequence[Shape], axis: int = 0) -> Shape:
    """The shape of equal shapes stacked along a new axis."""
    first = known_dims(shapes[0])
    if any(dims != shapes[0] for dims in shapes) or shapes[0] is None:
        return None
    if first is None:
        return derived(shapes[0], f".stack({len(shapes)},{axis})")
    at = axis % (len(first) + 1)
    return shape(*first[:at], len(shapes), *first[at:])


def _one_hot(call: Call) -> Value:
    first = call.arg(0, "x")
    count = _ints(call.arg(1, "num_classes"))
    known = known_dims(shape_of(first)) if first is not None else None
    plain = call.keywords.get("axis", Const(-1)) == Const(-1)
    dims = None
    if known is not None and count is not None and plain:
        dims = shape(*known, *count)
    return call.array(_given_dtype(call, FLOAT), dims)


# --- The same elements in another arrangement


def _rearranged(call: Call) -> Value:
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


def _same_array(call: Call) -> Value:
    """Dtype and shape of the first operand: `roll`, `flip`, `sort`, `copy`, ..."""
    first = next(iter(call.args), None) or next(iter(call.keywords.values()), None)
    if first is None:
        return Unknown()
    key = isinstance(first, Array) and first.key
    return call.array(dtype_of(first), shape_of(first), key=key)


def _cumulative(call: Call) -> Value:
    first = call.arg(0, "a", "x", "operand")
    if first is None:
        return Unknown()
    dtype = strengthened(dtype_of(first))
    if dtype is not None and dtype.kind == "b" and not call.name.startswith("jax.lax."):
        dtype = INT
    flat = call.param("axis") in (None, Const(None)) and call.name.startswith("jax.numpy")
    known = known_dims(shape_of(first))
    dims = shape_of(first)
    if flat:
        dims = shape(math.prod(known)) if known is not None else None
    return call.array(_given_dtype(call, dtype), dims)


def _astype(call: Call) -> Value:
    first = call.arg(0, "x", "operand")
    wanted = call.arg(1, "dtype", "new_dtype")
    if first is None:
        return Unknown()
    return call.array(dtype_argument(wanted), shape_of(first))


def _stack(call: Call) -> Value:
    items = _listed(call.arg(0, "arrays"))
    if items is None:
        return call.array(None, None)
    dtype = _given_dtype(call, promote(*map(dtype_of, items)))
    axis = _ints(call.arg(1, "axis") or Const(0))
    dims = _stacked([shape_of(v) for v in items], axis[0]) if axis and items else None
    return call.array(dtype, dims)


def _concatenate(call: Call) -> Value:
    items = _listed(call.arg(0, "arrays", "tup", "operands", "seq"))
    if items is None:
        return call.array(None, None)
    return call.array(_given_dtype(call, promote(*map(dtype_of, items))), None)


def _listed(value: Value | None) -> tuple[Value, ...] | None:
    return value.items if isinstance(value, Seq) and value.items else None


def _append(call: Call) -> Value:
    return call.array(promote(*map(dtype_of, call.operands[:2])), None)


def _broadcast_to(call: Call) -> Value:
    first = call.arg(0, "array")
    if first is None:
        return Unknown()
    return call.array(dtype_of(first), shape_argument(call.arg(1, "shape")))


def _reshape(call: Call) -> Value:
    first = call.arg(0, "a", "operand")
    if first is None:
        return Unknown()
    wanted = call.arg(1, "shape", "new_sizes")
    dims = None if wanted is None else reshaped(shape_of(first), wanted)
    return call.array(dtype_of(first), dims)


def reshaped(dims: Shape, wanted: Value) -> Shape:
    """The shape that a reshape gives; one -1 is worked out."""
    if isinstance(wanted, StaticShape):
        return wanted.shape
    new = _ints(wanted)
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


def _ravel(call: Call) -> Value:
    first = call.arg(0, "a")
    if first is None:
        return Unknown()
    known = known_dims(shape_of(first))
    dims = shape(math.prod(known)) if known is not None else None
    if known is None:
        dims = derived(shape_of(first), ".ravel")
    return call.array(dtype_of(first), dims)


def _transpose(call: Call) -> Value:
    first = call.arg(0, "a", "operand")
    if first is None:
        return Unknown()
    axes = call.arg(1, "axes", "permutation")
    order = _ints(axes) if axes not in (None, Const(None)) else None
    if order is None and axes not in (None, Const(None)):
        return call.array(dtype_of(first), None)
    return call.array(dtype_of(first), transposed(shape_of(first), order))


def transposed(dims: Shape, order: tuple[int, ...] | None = None) -> Shape:
    known = known_dims(dims)
    if known is None:
        return derived(dims, ".T" if order is None else f".transpose{order}")
    if order is None:
        return shape(*reversed(known))
    if sorted(n % len(known) for n in order) != list(range(len(known))):
        return None
    return shape(*(known[n] for n in order))


def _expand_dims(call: Call) -> Value:
    first = call.arg(0, "a", "array")
    axes = _ints(call.arg(1, "axis", "dimensions"))
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


def _squeeze(call: Call) -> Value:
    first = call.arg(0, "a", "array")
    axis = call.arg(1, "axis", "dimensions")
    if first is None:
        return Unknown()
    known = known_dims(shape_of(first))
    axes = _ints(axis) if axis not in (None, Const(None)) else None
    if known is None or (axes is None and axis not in (None, Const(None))):
        return call.array(dtype_of(first), None)
    rank = len(known)
    gone = {i for i, n in enumerate(known) if n == 1}
    if axes is not None:
        gone = {a % rank for a in axes if rank}
    return call.array(
        dtype_of(first), shape(*(n for i, n in enumerate(known) if i not in gone))
    )


def _take(call: Call) -> Value:
    first = call.arg(0, "a")
    index = call.arg(1, "indices")
    if not isinstance(first, Array) or index is None:
        return call.array(dtype_of(first) if first else None, None)
    axis = call.param("axis") or Const(None)
    dims = shape_of(index) if axis == Const(None) else None
    if axis == Const(0):
        dims = _indexed(first, index)
    return call.array(first.dtype, dims)


def _dynamic_index(call: Call) -> Value:
    first = call.arg(0, "operand")
    if first is None:
        return Unknown()
    axis = _ints(call.arg(2, "axis") or Const(0))
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


def _dynamic_slice(call: Call) -> Value:
    first = call.arg(0, "operand")
    sizes = shape_argument(call.arg(2, "slice_sizes"))
    return call.array(dtype_of(first), sizes) if first is not None else Unknown()


# --- Contractions


def _einsum(call: Call) -> Value:
    dtype = _preferred(call, promote(*map(dtype_of, call.args[1:])))
    dims: Shape = None
    match call.args:
        case [Const(value=str(text)), *_]:
            inputs, arrow, output = text.replace(" ", "").partition("->")
            if arrow and not output:
                dims = SCALAR
            elif arrow and "." not in text:
                dims = _einsum_shape(inputs.split(","), output, call.args[1:])
        case _:
            dtype = None
    return call.array(dtype, dims)


def _einsum_shape(inputs: list[str], output: str, operands: Sequence[Value]) -> Shape:
    sizes: dict[str, int] = {}
    for letters, operand in zip(inputs, operands, strict=False):
        known = known_dims(shape_of(operand))
        if known is None or len(known) != len(letters):
            return None
        sizes |= dict(zip(letters, known, strict=True))
    return shape(*(sizes[letter] for letter in output if letter in sizes))


def _preferred(call: Call, dtype: DType | None) -> DType | None:
    wanted = call.keywords.get("preferred_element_type")
    return dtype if wanted in (None, Const(None)) else dtype_argument(wanted)


def _dot(call: Call) -> Value:
    left, right = call.arg(0, "a", "x1", "lhs"), call.arg(1, "b", "x2", "rhs")
    if left is None or right is None:
        return Unknown()
    dims: Shape = SCALAR if call.function == "vdot" else None
    if call.function in ("matmul", "dot"):
        dims = matmul_shape(shape_of(left), shape_of(right), call.function)
    if call.function == "inner" and SCALAR in (shape_of(left), shape_of(right)):
        dims = broadcast(shape_of(left), shape_of(right))
    dtype = _preferred(call, promote(dtype_of(left), dtype_of(right)))
    return call.array(dtype, dims)


def matmul_shape(left: Shape, right: Shape, how: str = "@") -> Shape:
    """The shape of a matrix product; unknown ones give a symbol, the same for the same."""
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


def _outer(call: Call) -> Value:
    left, right = call.arg(0, "a", "x1"), call.arg(1, "b", "x2")
    if left is None or right is None:
        return Unknown()
    a, b = known_dims(shape_of(left)), known_dims(shape_of(right))
    dims = None
    if a is not None and b is not None:
        dims = shape(math.prod(a), math.prod(b))
    return call.array(promote(dtype_of(left), dtype_of(right)), dims)


# --- Linear algebra


def _inexact_linalg(call: Call) -> DType | None:
    operands = call.operands
    return strengthened(inexact(promote(*map(dtype_of, operands))))


def _same_linalg(call: Call) -> Value:
    """`inv`, `cholesky`: the shape of the argument."""
    first = call.arg(0, "a")
    dims = shape_of(first) if first is not None else None
    return call.array(_inexact_linalg(call), dims)


def _other_linalg(call: Call) -> Value:
    """The dtype is inexact; nothing is said of the shape."""
    return call.array(_inexact_linalg(call), None)


def _solve(call: Call) -> Value:
    """`solve(a, b)`: the shape of `b`, if that has at most two dimensions."""
    second = call.arg(1, "b")
    known = known_dims(shape_of(second)) if second is not None else None
    dims = shape(*known) if known is not None and len(known) < 3 else None
    return call.array(_inexact_linalg(call), dims)


def _determinant(call: Call) -> Value:
    first = call.arg(0, "a")
    known = known_dims(shape_of(first)) if first is not None else None
    dims = shape(*known[:-2]) if known is not None else None
    return call.array(_inexact_linalg(call), dims)


# --- Several results


def _pair_of(count: int) -> Callable[[Call], Value]:
    """Functions with this many inexact results: `eigh`, `slogdet`, `qr`, `svd`."""

    def several(call: Call) -> Value:
        if "compute_uv" in call.keywords or "mode" in call.keywords or len(call.args) > 1:
            return Seq("tuple", None, call.array(None, None))
        if call.function in ("eigh", "slogdet", "svd"):
            return Seq("tuple", (call.array(None, None),) * count)
        return Seq("tuple", (call.array(_inexact_linalg(call), None),) * count)

    return several


def _divmod(call: Call) -> Value:
    operands = call.operands
    dtype = promote(*map(dtype_of, operands))
    part = call.array(INT32 if dtype == BOOL else dtype, broadcast(*map(shape_of, operands)))
    return Seq("tuple", (part, part))


def _gradient(call: Call) -> Value:
    """One array for a vector, a list of them else."""
    first = call.arg(0, "f")
    known = known_dims(shape_of(first)) if first is not None else None
    if known is None or len(known) != 1 or "axis" in call.keywords:
        return Unknown()
    alone = len(call.args) == 1
    return call.array(_inexact_linalg(call) if alone else None, None)


def _modf(call: Call) -> Value:
    first = call.arg(0, "x")
    if first is None:
        return Unknown()
    dtype, dims = inexact(dtype_of(first)), shape_of(first)
    if dtype is not None and dtype.is_weak:
        dtype = None
    second = INT32 if call.function == "frexp" else dtype
    return Seq("tuple", (call.array(dtype, dims), call.array(second, dims)))


def _split(call: Call) -> Value:
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


def _meshgrid(call: Call) -> Value:
    return Seq("list", tuple(call.array(dtype_of(v), None) for v in call.args))


def _broadcast_arrays(call: Call) -> Value:
    dims = broadcast(*map(shape_of, call.args))
    return Seq("list", tuple(call.array(dtype_of(v), dims) for v in call.args))


def _atleast(call: Call) -> Value:
    if len(call.args) != 1:
        return Seq("list", tuple(call.array(dtype_of(v), None) for v in call.args))
    known = known_dims(shape_of(call.args[0]))
    rank = int(call.function[-2])
    dims: Shape = None
    if known is not None and (len(known) >= rank or rank == 1):
        dims = shape(*known) if len(known) >= rank else shape(1)
    return call.array(dtype_of(call.args[0]), dims)


def _top_k(call: Call) -> Value:
    first = call.arg(0, "operand")
    if first is None:
        return Unknown()
    count = _ints(call.arg(1, "k"))
    known = known_dims(shape_of(first))
    plain = "axis" not in call.keywords
    dims: Shape = None
    if known and count is not None and plain:
        dims = shape(*known[:-1], *count)
    parts = call.array(dtype_of(first), dims), call.array(INT32, dims)
    return Seq("tuple", parts)


def _indices(call: Call) -> Value:
    """`nonzero`, `unravel_index`, `tril_indices`: a tuple of integer arrays."""
    return Seq("tuple", None, call.array(INT, None))


def _integers(call: Call) -> Value:
    return call.array(INT, None)


def _axis_index(call: Call) -> Value:
    return call.array(INT32, SCALAR)


def _unsaid(call: Call) -> Value:
    """An array of which nothing is said."""
    return call.array(None, None)


def _select(call: Call) -> Value:
    """`jnp.select(conditions, choices, default)` and `lax.select(which, x, y)`."""
    if call.name == "jax.lax.select":
        return _elementwise_choice(call, call.args[1:])
    choices = _listed(call.arg(1, "choicelist"))
    if choices is None:
        return call.array(None, None)
    default = call.arg(2, "default") or Const(0)
    conditions = _listed(call.arg(0, "condlist"))
    dims = broadcast(*map(shape_of, (*choices, *(conditions or (Unknown(),)), default)))
    return call.array(promote(*map(dtype_of, (*choices, default))), dims)


def _elementwise_choice(call: Call, choices: Sequence[Value]) -> Value:
    return call.array(
        promote(*map(dtype_of, choices)), broadcast(*map(shape_of, choices))
    )


def _unique(call: Call) -> Value:
    if len(call.args) > 1 or any(name.startswith("return") for name in call.keywords):
        return Seq("tuple", None, call.array(None, None))
    first = call.arg(0, "ar", "x")
    return call.array(dtype_of(first) if first is not None else None, None)


# --- Static results


def _ndim(call: Call) -> Value:
    first = call.arg(0, "a")
    known = known_dims(shape_of(first)) if first is not None else None
    return Const(len(known)) if known is not None else Static("int")


def _size(call: Call) -> Value:
    first = call.arg(0, "a")
    known = known_dims(shape_of(first)) if first is not None else None
    alone = call.param("axis") in (None, Const(None))
    return Const(math.prod(known)) if known is not None and alone else Static("int")


def _shape(call: Call) -> Value:
    first = call.arg(0, "a")
    return shape_value(shape_of(first) if first is not None else None)


def shape_value(dims: Shape) -> Value:
    """The Python tuple `x.shape` of an array with this shape."""
    known = known_dims(dims)
    return Const(known) if known is not None else StaticShape("shape", shape=dims)


def _result_type(call: Call) -> Value:
    dtypes = [dtype_argument(v) or dtype_of(v) for v in call.args]
    return StaticDType("dtype", dtype=strengthened(promote(*dtypes)))


def _static(type_: str) -> Callable[[Call], Value]:
    return lambda call: Static(type_)


# --- Random numbers

_INTEGER_DRAWS = frozenset(["randint", "categorical", "geometric", "poisson", "rademacher"])
_SCALAR_DRAWS = frozenset(
    ["bits", "cauchy", "exponential", "gumbel", "laplace", "logistic", "maxwell", "normal", "rademacher", "uniform", "choice"]
)


def _random(call: Call) -> Value:
    wanted = call.param("shape")
    absent = wanted in (None, Const(None))
    dims = shape_argument(wanted) if not absent else None
    function = call.function
    if absent and function in _SCALAR_DRAWS:
        dims = SCALAR
    match function:
        case "bernoulli":
            chance = call.arg(1, "p")
            if absent:
                dims = shape_of(chance) if chance is not None else SCALAR
            return call.array(BOOL, dims)
        case "categorical":
            logits = call.arg(1, "logits")
            if absent and logits is not None:
                axis = call.param("axis") or Const(-1)
                dims = reduced_shape(shape_of(logits), axis, None)
            return call.array(INT, dims)
        case "choice" | "permutation":
            return _picked(call, dims)
        case "bits" | "key_data":
            return call.array(None, dims)
        case "multivariate_normal" | "dirichlet" | "multinomial" | "ball" | "orthogonal":
            return call.array(_given_dtype(call, None), None)
    default = INT if function in _INTEGER_DRAWS else FLOAT
    if absent and function in _PARAMETER_DRAWS:
        parameters = [v for v in call.operands[1:]]
        dims = broadcast(*map(shape_of, parameters))
    return call.array(_given_dtype(call, default), dims)


# These take their shape from their parameters.
_PARAMETER_DRAWS = frozenset(
    ["beta", "binomial", "chisquare", "f", "gamma", "generalized_normal", "geometric", "loggamma", "lognormal", "pareto", "poisson", "rayleigh", "t", "triangular", "truncated_normal", "wald", "weibull_min", "double_sided_maxwell"]
)


def _picked(call: Call, dims: Shape) -> Value:
    """`choice` and `permutation`: of the elements of an array, or of `range(n)`."""
    population = call.arg(1, "a", "x")
    if population is None:
        return Unknown()
    if isinstance(population, Const | Static):
        count = _ints(population)
        if call.function == "permutation":
            dims = shape(*count) if count is not None else None
        return call.array(INT, dims)
    dtype = strengthened(dtype_of(population))
    known = known_dims(shape_of(population))
    if call.function == "permutation":
        return call.array(dtype, shape_of(population))
    return call.array(dtype, dims if known is not None and len(known) == 1 else None)


# --- Python's own functions on arrays, and the host


_MATH_TO_JNP = {
    "acos": "arccos",
    "acosh": "arccosh",
    "asin": "arcsin",
    "asinh": "arcsinh",
    "atan": "arctan",
    "atan2": "arctan2",
    "atanh": "arctanh",
    "fabs": "abs",
    "degrees": "rad2deg",
    "radians": "deg2rad",
    "pow": "power",
    "fmod": "fmod",
}
_MATH_INTS = frozenset(["ceil", "comb", "factorial", "floor", "gcd", "isqrt", "lcm", "perm", "trunc"])
_MATH_BOOLS = frozenset(["isclose", "isfinite", "isinf", "isnan"])


def _math(function: str, args: Sequence[Value]) -> Value:
    """`math.*` of values that are not traced."""
    if any(_is_unknown(arg) for arg in args):
        return Unknown()
    values = [arg.value for arg in args if isinstance(arg, Const)]
    small = all(isinstance(v, int | float) and abs(v) < 1000 for v in values)
    if len(values) == len(args) and small and hasattr(math, function):
        try:
            return Const(getattr(math, function)(*values))
        except (ArithmeticError, TypeError, ValueError):
            return Unknown()
    if function in _MATH_INTS:
        return Static("int")
    if function in ("frexp", "modf"):
        return Seq("tuple", (Static("float"), Static()))
    return Static("bool" if function in _MATH_BOOLS else "float")


_STATIC_TYPES = {
    "len": "int",
    "hash": "int",
    "id": "int",
    "ord": "int",
    "isinstance": "bool",
    "issubclass": "bool",
    "callable": "bool",
    "hasattr": "bool",
    "repr": "str",
    "format": "str",
    "chr": "str",
    "str": "str",
    "type": "type",
}


def _builtin(call: Call) -> Value:
    """The builtins that take arrays; containers are the interpreter's."""
    function, args = call.function, call.args
    if function in _STATIC_TYPES and function != "len":
        return Static(_STATIC_TYPES[function])
    if function == "len":
        return _length(args[0]) if args else Unknown()
    found = next((t for arg in args if (t := holds_tracer(arg)) is not None), None)
    if function in ("int", "float", "bool", "complex"):
        return _cast(call, found)
    if function in ("abs", "round", "pow", "divmod", "max", "min", "sum", "any", "all"):
        if found is None and any(_is_unknown(arg) for arg in args):
            return Unknown()
        if found is None:
            return _host_arithmetic(call)
        return _array_builtin(call)
    return Unknown()


def _length(value: Value) -> Value:
    match value:
        case Array():
            known = known_dims(value.shape)
            return Const(known[0]) if known else Static("int")
        case Seq(items=tuple(items)):
            return Const(len(items))
        case Const(value=str() | tuple() | list() as items):
            return Const(len(items))
        case _:
            return Static("int")


def _cast(call: Call, found: Array | None) -> Value:
    """`int(x)`: of a tracer it fails; what it would be if it did not."""
    function = call.function
    if not call.args:
        return Const({"int": 0, "float": 0.0, "bool": False, "complex": 0j}[function])
    first = call.args[0]
    if found is not None:
        return call.array(_PYTHON_DTYPES[function], shape_of(first))
    if isinstance(first, Const) and isinstance(first.value, int | float):
        cast = {"int": int, "float": float, "bool": bool, "complex": complex}[function]
        try:
            return Const(cast(first.value))
        except (OverflowError, ValueError):
            return Unknown()
    if _is_unknown(first):
        return Unknown()
    return Static(function)


def _host_arithmetic(call: Call) -> Value:
    """`abs`, `max`, ... of values that are not traced."""
    function, args = call.function, call.args
    values = [arg.value for arg in args if isinstance(arg, Const)]
    simple = all(isinstance(v, bool | int | float) and abs(v) < 1e6 for v in values)
    if len(values) == len(args) and simple and function in ("abs", "max", "min", "round"):
        if values and (len(values) > 1 or function in ("abs", "round")):
            compute: Any = {"abs": abs, "max": max, "min": min, "round": round}[function]
            try:
                return Const(compute(*values))
            except (TypeError, ValueError):
                return Unknown()
    if function in ("any", "all"):
        return Static("bool")
    if any(isinstance(arg, Array) for arg in args):
        arrays = [arg for arg in args if isinstance(arg, Array)]
        return replace(arrays[0], dtype=None, shape=None)
    kinds = {type_name(arg) for arg in args}
    kind = kinds.pop() if len(kinds) == 1 else ""
    return Static(kind if kind in ("int", "float") and function != "pow" else "")


def _array_builtin(call: Call) -> Value:
    """`abs`, `max`, ... of tracers: what the jax function of that name gives."""
    function, args = call.function, call.args
    if function in ("abs", "round"):
        if function == "round" and len(args) == 1:
            return call.array(None, shape_of(args[0]))
        return _library(replace(call, name=f"jax.numpy.{function}"))
    if function == "pow":
        return _power(call)
    if function == "divmod":
        return _divmod(call)
    if function in ("any", "all"):
        return call.array(BOOL, SCALAR)
    items: Sequence[Value] = args
    if len(args) == 1 and isinstance(args[0], Seq) and args[0].items:
        items = args[0].items
    elif len(args) == 1:
        return call.array(None, None)
    if function == "sum":
        return call.array(None, None)
    return call.array(promote(*map(dtype_of, items)), broadcast(*map(shape_of, items)))


def _on_host(call: Call) -> Value:
    """A NumPy function of values that are not traced."""
    first = call.arg(0, "a", "x")
    if call.function in ("prod", "sum", "max", "min") and _counts(first):
        if call.param("axis") in (None, Const(None)):
            return Static("int")
    if call.function in ("asanyarray", "ascontiguousarray", "asfortranarray"):
        call = replace(call, name="numpy.asarray")
    result = _library(replace(call, name="jax." + call.name, tracing=False))
    return _hosted(result)


def _counts(value: Value | None) -> bool:
    """Is it a shape or a list of Python ints?"""
    match value:
        case StaticShape() | Static(type="shape"):
            return True
        case Const(value=tuple() | list()):
            return _ints(value) is not None
        case Seq(items=tuple(items)):
            return bool(items) and all(type_name(v) == "int" for v in items)
        case _:
            return False


def _hosted(value: Value) -> Value:
    """The same value, as a NumPy array: NumPy has no weak dtypes."""
    match value:
        case Array():
            dtype = strengthened(value.dtype)
            return replace(value, dtype=dtype, traced=False, host=True, why=None)
        case Seq():
            items = value.items
            return replace(
                value,
                items=tuple(map(_hosted, items)) if items is not None else None,
                elem=_hosted(value.elem) if value.elem is not None else None,
            )
        case _:
            return value


def _impure(call: Call) -> Value:
    """Calls whose result differs from run to run; they run on the host."""
    if call.name.startswith("numpy.random."):
        return Array(False, None, None, host=True)
    module = call.name.partition(".")[0]
    return Static("float") if module in ("time", "random") else Static()


# --- Names that are not calls


def value_of(name: str) -> Value | None:
    """The value of a library constant: `jax.numpy.pi`, `numpy.inf`, `math.e`."""
    module, _, last = name.rpartition(".")
    if module not in ("jax.numpy", "numpy", "math"):
        return None
    match last:
        case "pi" | "e" | "tau" | "inf" | "nan":
            return Const(getattr(math, last))
        case "newaxis":
            return Const(None)
        case "euler_gamma":
            return Const(0.5772156649015329)
        case _:
            return None


def _resolved(value: Value) -> Value:
    """An operand with library constants looked up."""
    if isinstance(value, Lib):
        return value_of(value.name) or value
    return value


# --- Attributes, methods and indexing


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
            return replace(proven, dtype=_real(receiver.dtype))
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


_AS_FUNCTION = frozenset(
    ["all", "any", "argmax", "argmin", "argpartition", "argsort", "choose", "clip", "compress", "conj", "conjugate", "cumprod", "cumsum", "diagonal", "dot", "max", "mean", "min", "nonzero", "prod", "ptp", "ravel", "repeat", "round", "searchsorted", "sort", "squeeze", "std", "sum", "swapaxes", "take", "trace", "var", "astype"]
)
_UPDATES = frozenset(
    ["set", "add", "subtract", "multiply", "mul", "divide", "power", "min", "max", "apply"]
)


def method_of(
    receiver: Array,
    name: str,
    args: Sequence[Value],
    keywords: Mapping[str, Value],
    *,
    tracing: bool,
) -> Value | None:
    """`receiver.name(*args, **keywords)`; None if arrays have no such method."""
    if isinstance(receiver, At):
        return _update(receiver, name, args, tracing=tracing)
    module = "numpy" if receiver.host and not receiver.traced else "jax.numpy"
    plain = replace(receiver, tree=False)
    call = Call(f"{module}.{name}", (plain, *args), keywords, tracing)
    match name:
        case "copy" | "block_until_ready" | "__array__" | "to_device" | "clone":
            return call.array(receiver.dtype, receiver.shape)
        case "flatten":
            return _ravel(call)
        case "reshape":
            wanted = args[0] if len(args) == 1 else Seq("tuple", tuple(args))
            return call.array(receiver.dtype, reshaped(receiver.shape, wanted))
        case "transpose":
            order = args[0] if len(args) == 1 else Seq("tuple", tuple(args))
            axes = _ints(order) if args else None
            if args and order != Const(None) and axes is None:
                return call.array(receiver.dtype, None)
            return call.array(receiver.dtype, transposed(receiver.shape, axes))
        case "item" if receiver.traced:
            return call.array(receiver.dtype, SCALAR)
        case "item":
            return Static(_PYTHON_KINDS.get(_kind(receiver.dtype), ""))
        case "view":
            return call.array(dtype_argument(args[0]) if args else None, None)
        case "tolist" | "fill" | "tobytes" | "dump":
            return Unknown() if receiver.traced else Static()
        case _ if name in _AS_FUNCTION:
            return result_of(call.name, call.args, keywords, tracing=tracing)
        case _ if name.startswith("__") and name.endswith("__"):
            return Unknown()
        case _:
            return None


def _kind(dtype: DType | None) -> str:
    return (dtype.kind or "") if dtype is not None else ""


_PYTHON_KINDS = {"b": "bool", "i": "int", "f": "float", "c": "complex"}


def _update(
    receiver: At, name: str, args: Sequence[Value], *, tracing: bool
) -> Value | None:
    """`x.at[i].set(v)`: dtype and shape of `x`."""
    found = next((t for arg in args if (t := holds_tracer(arg)) is not None), None)
    traced = receiver.traced or tracing or found is not None
    why = receiver.why or (found.why if found is not None else None)
    if name in _UPDATES:
        # Division and a function of the user's may change the dtype of integers.
        kept = name not in ("divide", "apply") or _kind(receiver.dtype) == "f"
        return Array(traced, receiver.dtype if kept else None, receiver.shape, why=why)
    if name == "get":
        return Array(traced, receiver.dtype, receiver.picked, why=why)
    return None


def subscript(receiver: Array, index: Value) -> Value:
    """`receiver[index]`."""
    picked = _indexed(receiver, index)
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


def _indexed(receiver: Array, index: Value) -> Shape:
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
            parts: list[Value] = [_resolved(item) for item in items]
        case Seq():
            return None
        case _:
            parts = [_resolved(index)]
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
            return part.shape is not None and _kind(part.dtype) == "i"
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
    """The symbol for an indexed array of unknown shape: `"?x[]"` for a row of `"?x"`."""
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


# --- Operators

_COMPUTE: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
    ast.BitAnd: operator.and_,
    ast.BitOr: operator.or_,
    ast.BitXor: operator.xor,
    ast.LShift: operator.lshift,
    ast.RShift: operator.rshift,
}
_COMPARE: dict[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}
_UNARY: dict[type[ast.unaryop], Callable[[Any], Any]] = {
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
    ast.Invert: operator.invert,
}
_BIT_OPERATORS = (ast.BitAnd, ast.BitOr, ast.BitXor)
LARGEST = 2**64  # of the numbers that are computed here
LONGEST = 64  # of the tuples and strings


def binary(
    op: type[ast.operator], left: Value, right: Value, *, tracing: bool
) -> Value:
    """`left op right` for one arithmetic operator."""
    left, right = _resolved(left), _resolved(right)
    if isinstance(left, Const) and isinstance(right, Const):
        return _compute(op, left.value, right.value)
    arrays = [v for v in (left, right) if isinstance(v, Array)]
    if not arrays:
        held = holds_tracer(left) or holds_tracer(right)
        return Unknown() if held is not None else _static_arithmetic(op, left, right)
    if op is ast.Mod and isinstance(left, Const) and isinstance(left.value, str):
        return Static("str")
    other = right if arrays[0] is left else left
    if other == Const(None) or isinstance(other, Const) and isinstance(other.value, str):
        return Unknown()
    dims = broadcast(shape_of(left), shape_of(right))
    if op is ast.MatMult:
        dims = matmul_shape(shape_of(left), shape_of(right))
    result = _array_result(arrays, _binary_dtype(op, left, right), dims, tracing=tracing)
    bare = [a.tree and a.assumed for a in arrays]
    if op is ast.Add and all(bare) and (len(arrays) == 2 or _is_unknown(other)):
        return replace(result, tree=True, assumed=True, dtype=None, shape=None)
    if _is_unknown(other):
        return replace(result, assumed=all(a.assumed for a in arrays if a.traced))
    return result


def _array_result(
    arrays: Sequence[Array], dtype: DType | None, dims: Shape, *, tracing: bool
) -> Array:
    """What arithmetic on arrays gives: host arrays stay on the host."""
    found = next((a for a in arrays if a.traced and not a.assumed), None)
    found = found or next((a for a in arrays if a.traced), None)
    on_host = all(a.host for a in arrays)
    traced = found is not None or (tracing and not on_host)
    return Array(
        traced,
        strengthened(dtype) if on_host and not traced else dtype,
        dims,
        host=on_host and not traced,
        why=found.why if found is not None else None,
    )


def _binary_dtype(op: type[ast.operator], left: Value, right: Value) -> DType | None:
    if op is ast.Pow:
        return power_dtype(left, right)
    dtype = promote(dtype_of(left), dtype_of(right))
    if op is ast.Div:
        return inexact(dtype)
    if dtype == BOOL and op in (ast.FloorDiv, ast.Mod, ast.LShift, ast.RShift):
        return INT32
    return dtype


def _compute(op: type[ast.operator], left: Any, right: Any) -> Value:
    """Arithmetic of Python constants, as long as the result stays small."""
    kind = _static_kind(op, Const(left), Const(right))
    if op not in _COMPUTE or not (_is_small(left) and _is_small(right)):
        return Static(kind)
    if op in (ast.Pow, ast.LShift) and not _is_modest(right):
        return Static(kind)
    if op is ast.Mult and not (_is_number(left) and _is_number(right)):
        count = left if isinstance(left, int) else right
        if not isinstance(count, int) or count > LONGEST:
            return Static(kind)
    try:
        value = _COMPUTE[op](left, right)
    except (ArithmeticError, TypeError, ValueError):
        return Unknown()
    return Const(value) if _is_small(value) else Static(kind)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float | complex)


def _is_modest(value: Any) -> bool:
    return _is_number(value) and abs(value) <= LONGEST


def _is_small(value: Any) -> bool:
    match value:
        case int():
            return abs(value) <= LARGEST
        case float() | complex() | None:
            return True
        case str() | bytes() | tuple():
            return len(value) <= LONGEST
        case _:
            return False


def _static_arithmetic(op: type[ast.operator], left: Value, right: Value) -> Value:
    if _is_unknown(left) or _is_unknown(right):
        return Unknown()
    return Static(_static_kind(op, left, right))


def _static_kind(op: type[ast.operator], left: Value, right: Value) -> str:
    """The type of an operation on Python values, `""` if it is not certain."""
    kinds = {type_name(left), type_name(right)}
    if kinds == {"str"} or (op is ast.Mod and type_name(left) == "str"):
        return "str"
    if "shape" in kinds or "tuple" in kinds:
        return "shape" if "shape" in kinds else "tuple"
    if not kinds <= {"int", "float", "bool"}:
        return ""
    if op is ast.Div:
        return "float"
    if op is ast.Pow and "float" not in kinds:
        natural = isinstance(right, Const) and right.value >= 0
        return "int" if natural else ""
    if op is ast.Pow:
        return ""
    if kinds == {"bool"} and op in _BIT_OPERATORS:
        return "bool"
    return "float" if "float" in kinds else "int"


def unary(op: type[ast.unaryop], operand: Value, *, tracing: bool) -> Value:
    """`-x`, `+x`, `~x`, `not x`."""
    operand = _resolved(operand)
    if isinstance(operand, Array):
        if op is ast.Not:
            if not operand.traced:
                return Static("bool")
            return _array_result([operand], BOOL, operand.shape, tracing=tracing)
        return _array_result([operand], operand.dtype, operand.shape, tracing=tracing)
    if op is ast.Not:
        if isinstance(operand, Const):
            return Const(not operand.value)
        return Unknown() if holds_tracer(operand) else Static("bool")
    if isinstance(operand, Const):
        try:
            return Const(_UNARY[op](operand.value))
        except TypeError:
            return Unknown()
    if isinstance(operand, Static):
        return Static("int" if operand.type == "bool" else operand.type)
    return Unknown()


def compare(
    op: type[ast.cmpop], left: Value, right: Value, *, tracing: bool = False
) -> Value:
    """`left op right` for one comparison operator."""
    left, right = _resolved(left), _resolved(right)
    if op in (ast.Is, ast.IsNot):
        return Static("bool")
    if op in (ast.In, ast.NotIn):
        found = holds_tracer(left) or holds_tracer(right)
        if found is None:
            return Static("bool")
        return _array_result([found], BOOL, SCALAR, tracing=tracing)
    if isinstance(left, Const) and isinstance(right, Const):
        try:
            return Const(bool(_COMPARE[op](left.value, right.value)))
        except TypeError:
            return Unknown()
    arrays = [v for v in (left, right) if isinstance(v, Array)]
    if not arrays:
        held = holds_tracer(left) or holds_tracer(right)
        uncertain = held is not None or (_is_unknown(left) and _is_unknown(right))
        return Unknown() if uncertain else Static("bool")
    for value in (left, right):
        if isinstance(value, Const) and isinstance(value.value, str | None):
            return Static("bool")
    dims = broadcast(shape_of(left), shape_of(right))
    return _array_result(arrays, BOOL, dims, tracing=tracing)


# --- Which function has which rule

_SPECIAL: dict[str, Callable[[Call], Value]] = {
    **dict.fromkeys(["zeros", "ones", "empty"], _filled),
    **dict.fromkeys(["zeros_like", "ones_like", "empty_like", "full_like"], _like),
    **dict.fromkeys(["eye", "identity", "tri"], _eye),
    **dict.fromkeys(["linspace", "logspace", "geomspace"], _linspace),
    **dict.fromkeys(["array", "asarray"], _asarray),
    **dict.fromkeys(
        ["copy", "flip", "fliplr", "flipud", "roll", "sort", "triu", "tril", "stop_gradient", "optimization_barrier", "rev", "fftshift", "ifftshift", "partition"],
        _same_array,
    ),
    **dict.fromkeys(
        ["cumsum", "cumprod", "nancumsum", "nancumprod", "cummax", "cummin", "cumlogsumexp"],
        _cumulative,
    ),
    **dict.fromkeys(["astype", "convert_element_type"], _astype),
    **dict.fromkeys(
        ["concatenate", "hstack", "vstack", "dstack", "column_stack"], _concatenate
    ),
    **dict.fromkeys(["dynamic_index_in_dim", "index_in_dim"], _dynamic_index),
    **dict.fromkeys(
        ["dynamic_update_slice", "dynamic_update_slice_in_dim", "dynamic_update_index_in_dim", "scatter", "scatter_add", "scatter_max", "scatter_min", "scatter_mul", "scatter_sub"],
        _same_array,
    ),
    **dict.fromkeys(["dot", "matmul", "inner", "vdot"], _dot),
    **dict.fromkeys(["norm", "vector_norm"], _norm),
    **dict.fromkeys(["inv", "cholesky"], _same_linalg),
    **dict.fromkeys(["pinv", "gradient", "corrcoef", "cov", "trapezoid"], _other_linalg),
    **dict.fromkeys(["modf", "frexp"], _modf),
    **dict.fromkeys(["split", "array_split", "hsplit", "vsplit", "dsplit"], _split),
    **dict.fromkeys(["atleast_1d", "atleast_2d", "atleast_3d"], _atleast),
    **dict.fromkeys(
        ["nonzero", "unravel_index", "tril_indices", "triu_indices", "diag_indices", "tril_indices_from", "triu_indices_from", "diag_indices_from", "mask_indices"],
        _indices,
    ),
    **dict.fromkeys(["eigh", "slogdet", "qr"], _pair_of(2)),
    "svd": _pair_of(3),
    "where": _where,
    "power": _power,
    "full": _full,
    "arange": _arange,
    "stack": _stack,
    "append": _append,
    "broadcast_to": _broadcast_to,
    "reshape": _reshape,
    "ravel": _ravel,
    "transpose": _transpose,
    "expand_dims": _expand_dims,
    "squeeze": _squeeze,
    "take": _take,
    "dynamic_slice": _dynamic_slice,
    "einsum": _einsum,
    "outer": _outer,
    "solve": _solve,
    "det": _determinant,
    "divmod": _divmod,
    "meshgrid": _meshgrid,
    "broadcast_arrays": _broadcast_arrays,
    "top_k": _top_k,
    "unique": _unique,
    "argwhere": _integers,
    "flatnonzero": _integers,
    "bincount": _integers,
    "packbits": _unsaid,
    "unpackbits": _unsaid,
    "ravel_multi_index": _integers,
    "lexsort": _integers,
    "axis_index": _axis_index,
    "polyval": _unsaid,
    "cumulative_sum": _unsaid,
    "cumulative_prod": _unsaid,
    "gradient": _gradient,
    "convolve": _unsaid,
    "correlate": _unsaid,
    "select": _select,
    "ndim": _ndim,
    "size": _size,
    "shape": _shape,
    "result_type": _result_type,
    "promote_types": _result_type,
    "issubdtype": _static("bool"),
    "iscomplexobj": _static("bool"),
    "isrealobj": _static("bool"),
    "isscalar": _static("bool"),
    "can_cast": _static("bool"),
    "isdtype": _static("bool"),
    "broadcast_shapes": _static("shape"),
    "axis_size": _static("int"),
    "jax.device_count": _static("int"),
    "jax.local_device_count": _static("int"),
    "jax.process_count": _static("int"),
    "jax.process_index": _static("int"),
    "jax.nn.one_hot": _one_hot,
    "jax.device_put": _same_array,
    "jax.block_until_ready": _same_array,
}
