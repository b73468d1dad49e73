"""Elementwise functions and reductions: the dtype and the shape of the result."""

from __future__ import annotations

from collections.abc import Sequence

from . import jax_api
from .operands import (
    INT32,
    Call,
    dtype_argument,
    dtype_of,
    given_dtype,
    known_items,
    real_part,
    shape_of,
    strengthened,
    summed,
)
from .shapes import derived, reduced_shape
from .values import (
    BOOL,
    FLOAT,
    INT,
    SCALAR,
    Const,
    DType,
    Seq,
    Shape,
    Unknown,
    Value,
    broadcast,
    holds_tracer,
    inexact,
    promote,
    strong,
)

# These give a strong dtype although the argument is weak (measured).
_LOSE_WEAK = frozenset(
    [
        "ldexp",
        "angle",
        "beta",
        "dawsn",
        "erfcx",
        "exp1",
        "expi",
        "expn",
        "gamma",
        "gammasgn",
        "gelu",
        "log10",
        "log2",
        "log_ndtr",
        "nan_to_num",
        "ndtr",
        "ndtri",
        "owens_t",
        "poch",
        "softmax",
        "log_softmax",
        "spacing",
        "spence",
    ]
)
# These give a weak dtype only if no argument is strong.
_WEAK_IF_ALL_ARE = frozenset(["hypot", "logaddexp2", "rel_entr"])
# Whether these give a weak dtype for a mixture depends on the place of the weak one.
_WEAK_OR_NOT = frozenset(["gcd", "heaviside", "kl_div", "lcm", "squareplus"])
# These give a weak float for integers, since they compare with Python floats.
_INT_TO_WEAK = frozenset(
    [
        "celu",
        "elu",
        "hard_sigmoid",
        "hard_silu",
        "hard_swish",
        "leaky_relu",
        "relu6",
        "selu",
        "sparse_plus",
        "sparse_sigmoid",
    ]
)
_BOOL_TO_INT = frozenset(
    ["square", "floor_divide", "fmod", "remainder", "left_shift", "right_shift"]
)


def elementwise_call(call: Call, result: str) -> Value:
    dims = elementwise_shape(call)
    if result == "bool":
        return call.array(BOOL, dims)
    if result == "int":
        dtype = strong("uint8") if call.function == "bitwise_count" else INT32
        return call.array(dtype, dims)
    return call.array(elementwise_dtype(call), dims)


def elementwise_shape(call: Call) -> Shape:
    operands = call.operands
    match call.function:
        case "searchsorted":
            operands = operands[1:2]
        case "interp" | "digitize" | "isin" | "nan_to_num":
            operands = operands[:1]
    return broadcast(*map(shape_of, operands))


def elementwise_dtype(call: Call) -> DType | None:
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
    if function in ("abs", "real", "imag", "angle") and real_part(dtype) is None:
        return None
    kind = dtype.kind
    if function in _INT_TO_WEAK or (call.name.startswith("jax.nn.") and kind == "b"):
        return dtype if kind == "f" else None
    if call.name == "jax.lax.conj" and kind != "c":
        return None  # it makes a complex number of a real one
    if function in _BOOL_TO_INT and kind == "b":
        return INT32
    if floating:
        dtype = inexact(dtype)
    if function in _LOSE_WEAK or (function == "nan_to_num" and kind == "f"):
        return strengthened(dtype)
    if function in _WEAK_OR_NOT and any(d and d.is_weak for d in dtypes):
        return None
    return dtype


def where_call(call: Call) -> Value:
    choices = [v for v in (call.arg(1, "x"), call.arg(2, "y")) if v is not None]
    if len(choices) < 2:
        return Seq("tuple", None, call.array(INT, None))
    condition = call.arg(0, "condition")
    shapes = [shape_of(v) for v in (*choices, *([condition] if condition else []))]
    return call.array(promote(*map(dtype_of, choices)), broadcast(*shapes))


def power_call(call: Call) -> Value:
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


def reduction_call(call: Call, result: str) -> Value:
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
        dtype = real_part(dtype)
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


def norm_call(call: Call) -> Value:
    first = call.arg(0, "x")
    if first is None:
        return Unknown()
    dtype = strengthened(inexact(real_part(dtype_of(first))))
    dims = reduced_shape(shape_of(first), call.param("axis"), call.param("keepdims"))
    return call.array(dtype, dims)


def divmod_call(call: Call) -> Value:
    operands = call.operands
    dtype = promote(*map(dtype_of, operands))
    part = call.array(
        INT32 if dtype == BOOL else dtype, broadcast(*map(shape_of, operands))
    )
    return Seq("tuple", (part, part))


def modf_call(call: Call) -> Value:
    first = call.arg(0, "x")
    if first is None:
        return Unknown()
    dtype, dims = inexact(dtype_of(first)), shape_of(first)
    if dtype is not None and dtype.is_weak:
        dtype = None
    second = INT32 if call.function == "frexp" else dtype
    return Seq("tuple", (call.array(dtype, dims), call.array(second, dims)))


def select_call(call: Call) -> Value:
    """`jnp.select(conditions, choices, default)` and `lax.select(which, x, y)`."""
    if call.name == "jax.lax.select":
        return _elementwise_choice(call, call.args[1:])
    choices = known_items(call.arg(1, "choicelist"))
    if choices is None:
        return call.array(None, None)
    default = call.arg(2, "default") or Const(0)
    conditions = known_items(call.arg(0, "condlist"))
    dims = broadcast(*map(shape_of, (*choices, *(conditions or (Unknown(),)), default)))
    return call.array(promote(*map(dtype_of, (*choices, default))), dims)


def _elementwise_choice(call: Call, choices: Sequence[Value]) -> Value:
    return call.array(
        promote(*map(dtype_of, choices)), broadcast(*map(shape_of, choices))
    )


def ufunc_method_call(call: Call) -> Value:
    """`jnp.add.reduce(x)` and its kin, of which few ask for more than the dtype."""
    if not any(holds_tracer(part) is not None for part in call.args):
        return Unknown()
    first = call.arg(0, "array", "a")
    if call.function == "outer" or first is None:
        return call.array(None, None)
    dtype = given_dtype(call, dtype_of(first))
    if dtype is not None and dtype.kind != "f":
        dtype = None
    return call.array(dtype, shape_of(first) if call.function == "accumulate" else None)
