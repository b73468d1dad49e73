"""What a value is as an operand of a library call, and the call itself."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from . import jax_api
from .shapes import StaticDType, StaticShape, ints, known_dims
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
    holds_tracer,
    promote,
    shape,
    strong,
)

INT32 = strong("int32")


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
        case Static(type="int" | "float" | "bool" | "complex" | ""):
            # What is known while tracing and meets an array is a number.
            return SCALAR
        case Union(options=options):
            shapes = {shape_of(option) for option in options}
            return shapes.pop() if len(shapes) == 1 else None
        case _:
            return None


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


def real_part(dtype: DType | None) -> DType | None:
    """The dtype of the real part, or None for a complex dtype."""
    return dtype if dtype is not None and dtype.kind in ("b", "i", "f") else None


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
        found = next(
            (t for part in parts if (t := holds_tracer(part)) is not None), None
        )
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
    [
        "out",
        "where",
        "axis",
        "dtype",
        "order",
        "casting",
        "subok",
        "keepdims",
        "precision",
        "preferred_element_type",
        "rtol",
        "atol",
        "equal_nan",
        "mode",
        "indices_are_sorted",
        "unique_indices",
        "fill_value",
        "initial",
        "approximate",
        "axis_name",
        "out_sharding",
        "size",
    ]
)


def is_unknown(value: Value) -> bool:
    if isinstance(value, Seq):
        parts = value.items if value.items is not None else (value.elem,)
        return any(part is None or is_unknown(part) for part in parts)
    return isinstance(value, Unknown) or (
        isinstance(value, Union) and any(is_unknown(part) for part in value.options)
    )


def dtype_argument(value: Value | None) -> DType | None:
    """The dtype that a `dtype=` argument asks for."""
    match value:
        case StaticDType():
            return value.dtype
        case Lib(name=name):
            plain = name.removeprefix("builtins.")
            if plain in PYTHON_DTYPES:
                return PYTHON_DTYPES[plain]
            symbol = jax_api.is_dtype(jax_api.canonical(name))
            return strong(symbol) if symbol is not None else None
        case Const(value=str(text)):
            symbol = jax_api.is_dtype(f"numpy.{text}")
            return PYTHON_DTYPES.get(text) or (strong(symbol) if symbol else None)
        case _:
            return None


PYTHON_DTYPES = {
    "float": FLOAT,
    "int": INT,
    "bool": BOOL,
    "complex": strong("complex"),
}


def shape_argument(value: Value | None) -> Shape:
    """The shape that a `shape` argument asks for."""
    if isinstance(value, StaticShape):
        return value.shape
    dims = ints(value)
    return shape(*dims) if dims is not None else None


def given_dtype(call: Call, otherwise: DType | None) -> DType | None:
    wanted = call.param("dtype")
    if wanted is None or wanted == Const(None):
        return otherwise
    return dtype_argument(wanted)


def known_items(value: Value | None) -> tuple[Value, ...] | None:
    return value.items if isinstance(value, Seq) and value.items else None


def shape_value(dims: Shape) -> Value:
    """The Python tuple `x.shape` of an array with this shape."""
    known = known_dims(dims)
    return Const(known) if known is not None else StaticShape("shape", shape=dims)


def value_of(name: str) -> Value | None:
    """The value of a library constant: `jax.numpy.pi`, `numpy.inf`, `math.e`."""
    module, _, last = name.rpartition(".")
    if module not in ("jax.numpy", "numpy", "math", "cmath"):
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


def resolved(value: Value) -> Value:
    """An operand with library constants looked up."""
    if isinstance(value, Lib):
        return value_of(value.name) or value
    return value


def kind_letter(dtype: DType | None) -> str:
    return (dtype.kind or "") if dtype is not None else ""


PYTHON_KINDS = {"b": "bool", "i": "int", "f": "float", "c": "complex"}
