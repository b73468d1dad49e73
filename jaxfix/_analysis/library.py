"""What each jax function gives: which function has which rule."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from . import jax_api
from .elementwise import (
    divmod_call,
    elementwise_call,
    elementwise_dtype,
    elementwise_shape,
    modf_call,
    norm_call,
    power_call,
    reduction_call,
    select_call,
    ufunc_method_call,
    where_call,
)
from .layout import (
    append_call,
    arange_call,
    asarray_call,
    astype_call,
    atleast_call,
    broadcast_arrays_call,
    broadcast_to_call,
    concatenate_call,
    cumulative_call,
    dynamic_index_call,
    dynamic_slice_call,
    expand_dims_call,
    eye_call,
    filled_call,
    full_call,
    identity_call,
    like_call,
    linspace_call,
    meshgrid_call,
    one_hot_call,
    ravel_call,
    rearranged_call,
    reshape_call,
    same_array_call,
    split_call,
    squeeze_call,
    stack_call,
    take_call,
    transpose_call,
    unique_call,
)
from .operands import (
    INT32,
    Call,
    dtype_argument,
    dtype_of,
    given_dtype,
    shape_argument,
    shape_of,
    shape_value,
    strengthened,
)
from .shapes import StaticDType, ints, known_dims, matmul_shape, reduced_shape
from .values import (
    BOOL,
    FLOAT,
    INT,
    SCALAR,
    Const,
    DType,
    Seq,
    Shape,
    Static,
    Unknown,
    Value,
    broadcast,
    inexact,
    promote,
    shape,
    strong,
)


def library_call(call: Call) -> Value:
    """A jax function."""
    dtype = jax_api.is_dtype(call.name)
    if dtype is not None:
        first = call.arg(0, "x")
        return call.array(
            strong(dtype), shape_of(first) if first is not None else SCALAR
        )
    if call.function in _DENSITIES and call.name.startswith("jax.scipy.stats."):
        return call.array(elementwise_dtype(call), elementwise_shape(call))
    if jax_api.ufunc_of(call.name) is not None:
        return ufunc_method_call(call)
    api = jax_api.lookup(call.name)
    if api is None:
        return Unknown()
    special = _SPECIAL.get(call.name) or _SPECIAL.get(_unqualified(call.name))
    if special is not None:
        return special(call)
    match api.result:
        case "same" | "float" | "bool" | "int":
            return elementwise_call(call, api.result)
        case "reduce-same" | "reduce-float" | "reduce-bool" | "reduce-int":
            return reduction_call(call, api.result)
        case "structure" | "like":
            return rearranged_call(call)
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
    [
        "pdf",
        "logpdf",
        "cdf",
        "logcdf",
        "sf",
        "logsf",
        "ppf",
        "isf",
        "pmf",
        "logpmf",
        "entropy",
    ]
)


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


def _outer(call: Call) -> Value:
    left, right = call.arg(0, "a", "x1"), call.arg(1, "b", "x2")
    if left is None or right is None:
        return Unknown()
    a, b = known_dims(shape_of(left)), known_dims(shape_of(right))
    dims = None
    if a is not None and b is not None:
        dims = shape(math.prod(a), math.prod(b))
    return call.array(promote(dtype_of(left), dtype_of(right)), dims)


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


def _pair_of(count: int) -> Callable[[Call], Value]:
    """Functions with this many inexact results: `eigh`, `slogdet`, `qr`, `svd`."""

    def several(call: Call) -> Value:
        if (
            "compute_uv" in call.keywords
            or "mode" in call.keywords
            or len(call.args) > 1
        ):
            return Seq("tuple", None, call.array(None, None))
        if call.function in ("eigh", "slogdet", "svd"):
            return Seq("tuple", (call.array(None, None),) * count)
        return Seq("tuple", (call.array(_inexact_linalg(call), None),) * count)

    return several


def _gradient(call: Call) -> Value:
    """One array for a vector, a list of them else."""
    first = call.arg(0, "f")
    known = known_dims(shape_of(first)) if first is not None else None
    if known is None or len(known) != 1 or "axis" in call.keywords:
        return Unknown()
    alone = len(call.args) == 1
    return call.array(_inexact_linalg(call) if alone else None, None)


def _top_k(call: Call) -> Value:
    first = call.arg(0, "operand")
    if first is None:
        return Unknown()
    count = ints(call.arg(1, "k"))
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


def _extracted(call: Call) -> Value:
    """`compress`, `extract`: elements of the second argument."""
    second = call.arg(1, "a", "arr")
    return call.array(dtype_of(second) if second is not None else None, None)


def _integers(call: Call) -> Value:
    return call.array(INT, None)


def _axis_index(call: Call) -> Value:
    return call.array(INT32, SCALAR)


def _unsaid(call: Call) -> Value:
    """An array of which nothing is said."""
    return call.array(None, None)


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


def _result_type(call: Call) -> Value:
    dtypes = [dtype_argument(v) or dtype_of(v) for v in call.args]
    return StaticDType("dtype", dtype=strengthened(promote(*dtypes)))


def _static(type_: str) -> Callable[[Call], Value]:
    return lambda call: Static(type_)


_INTEGER_DRAWS = frozenset(
    ["randint", "categorical", "geometric", "poisson", "rademacher"]
)
_SCALAR_DRAWS = frozenset(
    [
        "bits",
        "cauchy",
        "exponential",
        "gumbel",
        "laplace",
        "logistic",
        "maxwell",
        "normal",
        "rademacher",
        "uniform",
        "choice",
    ]
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
        case (
            "multivariate_normal" | "dirichlet" | "multinomial" | "ball" | "orthogonal"
        ):
            return call.array(given_dtype(call, None), None)
    default = INT if function in _INTEGER_DRAWS else FLOAT
    if absent and function in _PARAMETER_DRAWS:
        dims = broadcast(*map(shape_of, call.operands[1:]))
    return call.array(given_dtype(call, default), dims)


# These take their shape from their parameters.
_PARAMETER_DRAWS = frozenset(
    [
        "beta",
        "binomial",
        "chisquare",
        "f",
        "gamma",
        "generalized_normal",
        "geometric",
        "loggamma",
        "lognormal",
        "pareto",
        "poisson",
        "rayleigh",
        "t",
        "triangular",
        "truncated_normal",
        "wald",
        "weibull_min",
        "double_sided_maxwell",
    ]
)


def _picked(call: Call, dims: Shape) -> Value:
    """`choice` and `permutation`: of the elements of an array, or of `range(n)`."""
    population = call.arg(1, "a", "x")
    if population is None:
        return Unknown()
    if isinstance(population, Const | Static):
        count = ints(population)
        if call.function == "permutation":
            dims = shape(*count) if count is not None else None
        return call.array(INT, dims)
    dtype = strengthened(dtype_of(population))
    known = known_dims(shape_of(population))
    if call.function == "permutation":
        return call.array(dtype, shape_of(population))
    return call.array(dtype, dims if known is not None and len(known) == 1 else None)


_SPECIAL: dict[str, Callable[[Call], Value]] = {
    **dict.fromkeys(["zeros", "ones", "empty"], filled_call),
    **dict.fromkeys(["zeros_like", "ones_like", "empty_like", "full_like"], like_call),
    **dict.fromkeys(["eye", "identity", "tri"], eye_call),
    **dict.fromkeys(["linspace", "logspace", "geomspace"], linspace_call),
    **dict.fromkeys(["array", "asarray"], asarray_call),
    **dict.fromkeys(
        [
            "copy",
            "flip",
            "fliplr",
            "flipud",
            "roll",
            "sort",
            "triu",
            "tril",
            "rev",
            "fftshift",
            "ifftshift",
            "partition",
        ],
        same_array_call,
    ),
    **dict.fromkeys(
        [
            "cumsum",
            "cumprod",
            "nancumsum",
            "nancumprod",
            "cummax",
            "cummin",
            "cumlogsumexp",
        ],
        cumulative_call,
    ),
    **dict.fromkeys(["astype", "convert_element_type"], astype_call),
    **dict.fromkeys(
        ["concatenate", "hstack", "vstack", "dstack", "column_stack"], concatenate_call
    ),
    **dict.fromkeys(["dynamic_index_in_dim", "index_in_dim"], dynamic_index_call),
    **dict.fromkeys(
        [
            "dynamic_update_slice",
            "dynamic_update_slice_in_dim",
            "dynamic_update_index_in_dim",
            "scatter",
            "scatter_add",
            "scatter_max",
            "scatter_min",
            "scatter_mul",
            "scatter_sub",
        ],
        same_array_call,
    ),
    **dict.fromkeys(["dot", "matmul", "inner", "vdot"], _dot),
    **dict.fromkeys(["norm", "vector_norm"], norm_call),
    **dict.fromkeys(["inv", "cholesky"], _same_linalg),
    **dict.fromkeys(
        ["pinv", "gradient", "corrcoef", "cov", "trapezoid"], _other_linalg
    ),
    **dict.fromkeys(["modf", "frexp"], modf_call),
    **dict.fromkeys(["split", "array_split", "hsplit", "vsplit", "dsplit"], split_call),
    **dict.fromkeys(["atleast_1d", "atleast_2d", "atleast_3d"], atleast_call),
    **dict.fromkeys(
        [
            "nonzero",
            "unravel_index",
            "tril_indices",
            "triu_indices",
            "diag_indices",
            "tril_indices_from",
            "triu_indices_from",
            "diag_indices_from",
            "mask_indices",
        ],
        _indices,
    ),
    **dict.fromkeys(["eigh", "slogdet", "qr"], _pair_of(2)),
    "svd": _pair_of(3),
    **dict.fromkeys(["compress", "extract"], _extracted),
    "where": where_call,
    "power": power_call,
    "full": full_call,
    "arange": arange_call,
    "stack": stack_call,
    "append": append_call,
    "broadcast_to": broadcast_to_call,
    "reshape": reshape_call,
    "ravel": ravel_call,
    "transpose": transpose_call,
    "expand_dims": expand_dims_call,
    "squeeze": squeeze_call,
    "take": take_call,
    "dynamic_slice": dynamic_slice_call,
    "einsum": _einsum,
    "outer": _outer,
    "solve": _solve,
    "det": _determinant,
    "divmod": divmod_call,
    "meshgrid": meshgrid_call,
    "broadcast_arrays": broadcast_arrays_call,
    "top_k": _top_k,
    "unique": unique_call,
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
    "select": select_call,
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
    "jax.nn.one_hot": one_hot_call,
    "jax.lax.stop_gradient": identity_call,
    "jax.lax.optimization_barrier": identity_call,
    "jax.device_put": identity_call,
    "jax.block_until_ready": identity_call,
}
