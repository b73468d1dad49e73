"""What library calls, operators, methods and attributes give, on abstract values.

Three rules hold throughout.

- A result is traced if an operand is; and under a trace (`tracing`) every jax call
  makes a tracer, even of constants, as does arithmetic with a captured `jax.Array`.
- Dtypes and shapes follow JAX, weak types included. Where a rule is not known for
  certain the answer is None, since a wrong certainty is worse than none.
- The result carries the `why` of its first traced operand.

NumPy's 64-bit dtypes have the symbols of JAX's defaults, `"float"` and `"int"`: that is
what they become when they meet a jax array, with or without x64.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from . import jax_api
from .elementwise import divmod_call, power_call
from .indexing import At, attribute_of, subscript, updated
from .layout import ravel_call
from .library import library_call
from .operands import (
    PYTHON_DTYPES,
    PYTHON_KINDS,
    Call,
    dtype_argument,
    dtype_of,
    is_unknown,
    kind_letter,
    shape_of,
    strengthened,
)
from .operators import binary, compare, unary
from .shapes import StaticShape, ints, known_dims, reshaped, transposed
from .values import (
    BOOL,
    SCALAR,
    Array,
    Const,
    Lib,
    Seq,
    Static,
    Unknown,
    Value,
    broadcast,
    holds_tracer,
    promote,
    replace,
    type_name,
)

__all__ = [
    "attribute_of",
    "binary",
    "compare",
    "joined",
    "method_of",
    "result_of",
    "subscript",
    "unary",
]


def joined(base: Lib, index: Value, *, tracing: bool) -> Value:
    """`jnp.r_[a, b]`: one array of all the parts."""
    found = holds_tracer(index)
    on_host = base.name.startswith("numpy.") and found is None
    return Array(
        found is not None or (tracing and not on_host),
        None,
        None,
        assumed=found is not None and found.assumed,
        host=on_host,
        why=found.why if found is not None else None,
    )


def result_of(
    name: str,
    args: Sequence[Value],
    keywords: Mapping[str, Value],
    *,
    tracing: bool,
) -> Value:
    """What the library function `name` gives for these arguments.

    A NumPy function on a tracer gives what its `jax.numpy` namesake would, even where
    it fails, so that the analysis goes on beyond the mistake.
    """
    name = jax_api.canonical(name)
    call = Call(name, tuple(args), keywords, tracing)
    if name.removeprefix("builtins.") in jax_api.IMPURE or name.startswith(
        "numpy.random."
    ):
        return _impure(call)
    parts = (*call.args, *keywords.values())
    if (
        name in ("jax.lax.psum", "jax.lax.axis_size")
        and args
        and not any(isinstance(part, Array | Unknown) for part in args[:1])
    ):
        # The sum of a number over an axis is the size of the axis, which is known.
        return Static("int")
    traced = any(holds_tracer(part) is not None for part in parts)
    module, _, function = name.rpartition(".")
    if module == "numpy" or module.startswith("numpy."):
        if not traced and any(is_unknown(part) for part in parts):
            return Unknown()
        if not traced:
            return _on_host(call)
        call = replace(call, name="jax." + name)
    if module == "math":
        if not traced:
            return _math(function, call.args)
        call = replace(call, name=f"jax.numpy.{_MATH_TO_JNP.get(function, function)}")
    if module == "cmath":
        return _cmath(call, traced=traced)
    if module == "builtins":
        return _builtin(call)
    return library_call(call)


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
_MATH_INTS = frozenset(
    ["ceil", "comb", "factorial", "floor", "gcd", "isqrt", "lcm", "perm", "trunc"]
)
_MATH_BOOLS = frozenset(["isclose", "isfinite", "isinf", "isnan"])


def _cmath(call: Call, *, traced: bool) -> Value:
    """`cmath.*`: complex numbers, but for the angle, the parts, and what is asked."""
    kind = "complex"
    if call.function == "phase":
        kind = "float"
    if call.function in ("isclose", "isfinite", "isinf", "isnan"):
        kind = "bool"
    if not traced:
        return Static(kind if call.function != "polar" else "tuple")
    shape = shape_of(call.args[0]) if call.args else None
    if call.function == "polar":
        parts = call.array(PYTHON_DTYPES["float"], shape)
        return Seq("tuple", (parts, parts))
    return call.array(PYTHON_DTYPES[kind], shape)


def _math(function: str, args: Sequence[Value]) -> Value:
    """`math.*` of values that are not traced."""
    if any(is_unknown(arg) for arg in args):
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
        if found is None and any(is_unknown(arg) for arg in args):
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
        return call.array(PYTHON_DTYPES[function], shape_of(first))
    if isinstance(first, Const) and isinstance(first.value, int | float):
        cast = {"int": int, "float": float, "bool": bool, "complex": complex}[function]
        try:
            return Const(cast(first.value))
        except (OverflowError, ValueError):
            return Unknown()
    if is_unknown(first):
        return Unknown()
    return Static(function)


def _host_arithmetic(call: Call) -> Value:
    """`abs`, `max`, ... of values that are not traced."""
    function, args = call.function, call.args
    if (known := _computed(function, args)) is not None:
        return known
    if function in ("any", "all"):
        return Static("bool")
    if any(isinstance(arg, Array) for arg in args):
        arrays = [arg for arg in args if isinstance(arg, Array)]
        return replace(arrays[0], dtype=None, shape=None)
    kinds = {type_name(arg) for arg in args}
    kind = kinds.pop() if len(kinds) == 1 else ""
    return Static(kind if kind in ("int", "float") and function != "pow" else "")


def _computed(function: str, args: Sequence[Value]) -> Value | None:
    """`abs`, `max`, `min` or `round` of known numbers."""
    compute: Any = {"abs": abs, "max": max, "min": min, "round": round}.get(function)
    values = [arg.value for arg in args if isinstance(arg, Const)]
    alone = len(values) == 1 and function in ("max", "min")
    if compute is None or not values or len(values) < len(args) or alone:
        return None
    if not all(isinstance(v, bool | int | float) and abs(v) < 1e6 for v in values):
        return None
    try:
        return Const(compute(*values))
    except (TypeError, ValueError):
        return Unknown()


def _array_builtin(call: Call) -> Value:
    """`abs`, `max`, ... of tracers: what the jax function of that name gives."""
    function, args = call.function, call.args
    if function in ("abs", "round"):
        if function == "round" and len(args) == 1:
            return call.array(None, shape_of(args[0]))
        return library_call(replace(call, name=f"jax.numpy.{function}"))
    if function == "pow":
        return power_call(call)
    if function == "divmod":
        return divmod_call(call)
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
    whole = call.param("axis") in (None, Const(None))
    if whole and call.function in ("prod", "sum", "max", "min") and _counts(first):
        return Static("int")
    if call.function in ("asanyarray", "ascontiguousarray", "asfortranarray"):
        call = replace(call, name="numpy.asarray")
    result = library_call(replace(call, name="jax." + call.name, tracing=False))
    return _hosted(result)


def _counts(value: Value | None) -> bool:
    """Is it a shape or a list of Python ints?"""
    match value:
        case StaticShape() | Static(type="shape"):
            return True
        case Const(value=tuple() | list()):
            return ints(value) is not None
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
    """Calls that have an effect or differ from run to run; they run on the host."""
    what = jax_api.IMPURE.get(call.name.removeprefix("builtins."))
    if call.name.startswith("numpy.random."):
        return Array(False, None, None, host=True)
    if what in ("output", "a pause"):
        return Const(None)
    module = call.name.partition(".")[0]
    return Static("float") if module in ("time", "random") else Static()


_AS_FUNCTION = frozenset(
    [
        "all",
        "any",
        "argmax",
        "argmin",
        "argpartition",
        "argsort",
        "choose",
        "clip",
        "compress",
        "conj",
        "conjugate",
        "cumprod",
        "cumsum",
        "diagonal",
        "dot",
        "max",
        "mean",
        "min",
        "nonzero",
        "prod",
        "ptp",
        "ravel",
        "repeat",
        "round",
        "searchsorted",
        "sort",
        "squeeze",
        "std",
        "sum",
        "swapaxes",
        "take",
        "trace",
        "var",
        "astype",
    ]
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
        return updated(receiver, name, args, tracing=tracing)
    module = "numpy" if receiver.host and not receiver.traced else "jax.numpy"
    plain = replace(receiver, tree=False)
    call = Call(f"{module}.{name}", (plain, *args), keywords, tracing)
    match name:
        case "copy" | "block_until_ready" | "__array__" | "to_device" | "clone":
            return call.array(receiver.dtype, receiver.shape)
        case "flatten":
            return ravel_call(call)
        case "reshape":
            wanted = args[0] if len(args) == 1 else Seq("tuple", tuple(args))
            return call.array(receiver.dtype, reshaped(receiver.shape, wanted))
        case "transpose":
            order = args[0] if len(args) == 1 else Seq("tuple", tuple(args))
            axes = ints(order) if args else None
            if args and order != Const(None) and axes is None:
                return call.array(receiver.dtype, None)
            return call.array(receiver.dtype, transposed(receiver.shape, axes))
        case "item" if receiver.traced:
            return call.array(receiver.dtype, SCALAR)
        case "item":
            return Static(PYTHON_KINDS.get(kind_letter(receiver.dtype), ""))
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
