"""What we know of jax, numpy, math and the builtins, by dotted name.

The tables say what a call gives, what it may do to a gradient, which of its arguments
must be static, and which functions trace the functions that they are given. They are
text in `jax_tables`, parsed on first use, so that importing this module is cheap.
"""

from __future__ import annotations

import functools
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Literal

from . import jax_tables as tables


@dataclass(frozen=True, slots=True)
class StaticParam:
    """A parameter that tracing needs the value of.

    `position` is None for a keyword-only one. `reason` is a word for a message:
    "shape", "axis", "dtype", "size" or "flag".
    """

    name: str
    position: int | None
    reason: str


@dataclass(frozen=True, slots=True)
class Api:
    """What a call of a library function gives, and what may go wrong in it.

    `result` is one of

    - `"same"`, `"float"`, `"bool"`, `"int"`: elementwise; the promoted dtype, that made
      inexact, bool, an integer;
    - `"reduce-same"`, `"reduce-float"`, `"reduce-bool"`, `"reduce-int"`: over an axis;
    - `"create"`, `"like"`: a new array; one with the shape and dtype of another;
    - `"structure"`: the elements of the arguments in another arrangement;
    - `"matmul"`, `"linalg"`, `"random"`, `"key"`: contractions, inexact matrix results,
      random draws, random keys;
    - `"static"`: a Python value, whatever the arguments; `"tuple"`: several arrays;
    - `"unknown"`.

    `cheap`: elementwise or of that cost, so that a `jnp.where` may evaluate it in vain.
    `partial`: the value or the gradient can be NaN or infinite for finite arguments, so
    that the gradient of `jnp.where(p, f(x), 0.0)` is NaN where `p` is false. Measured
    for arguments up to 1e4 in size; overflow counts, so `exp` is partial (its gradient
    at 100 is `0 * inf`) and `square` is total.
    `pure`: no effect but the result.
    """

    result: str
    cheap: bool = False
    partial: bool = False
    pure: bool = True
    static_params: tuple[StaticParam, ...] = ()


@dataclass(frozen=True, slots=True)
class Operand:
    """A parameter that takes a function, or (`many`) a list of functions."""

    position: int
    name: str
    many: bool


@dataclass(frozen=True, slots=True)
class Transform:
    """A function that calls, with tracers, the functions that it is given.

    `traces` says what the called function sees:

    - `"all"`: tracers without a value, for each argument not declared static;
    - `"mapped"`: such tracers for the arguments that are mapped over;
    - `"none"`: what the caller passed; at most tracers that have a value, on which a
      Python `if` works (measured for `grad` and its kin, `hessian` included);
    - `"host"`: concrete arrays, outside of any trace.

    `wraps`: it returns a function; otherwise it calls at once. `static_options` are the
    keywords that name arguments which are not traced.
    """

    operands: tuple[Operand, ...]
    traces: str
    wraps: bool
    static_options: tuple[str, ...]


def _transforms() -> dict[str, Transform]:
    table = {}
    for line in tables.TRANSFORMS.strip().split("\n"):
        name, operands, traces, kind, options = line.split("|")
        functions = []
        for operand in operands.split():
            position, _, spelled = operand.partition(":")
            parameter = spelled.removesuffix("*")
            functions.append(Operand(int(position), parameter, parameter != spelled))
        table[name] = Transform(
            tuple(functions), traces, kind == "wraps", tuple(options.split())
        )
    return table


TRANSFORMS: Mapping[str, Transform] = _transforms()


def _impure() -> dict[str, str]:
    table: dict[str, str] = {}
    for line in tables.IMPURE.strip().split("\n"):
        what, _, names = line.partition("|")
        table |= dict.fromkeys(names.split(), what)
    return table


# Calls that do or read something besides their arguments, and what that is.
IMPURE: Mapping[str, str] = _impure()

# Objects that join their subscripts into one array: `r_[a, b]`.
JOINERS = frozenset(f"{m}.{n}" for m in ("numpy", "jax.numpy") for n in ("r_", "c_"))


@functools.cache
def canonical(name: str) -> str:
    """The one name of a function that goes by several: `jax.numpy.amax` → `….max`."""
    for old, new in tables.MODULE_ALIASES.items():
        if name.startswith(old):
            name = new + name.removeprefix(old)
    module, _, last = name.rpartition(".")
    if module in ("jax.numpy", "numpy"):
        last = _aliases().get(last, last)
    return f"{module}.{last}" if module else f"builtins.{last}"


@functools.cache
def lookup(name: str) -> Api | None:
    """What is known of the function with this dotted name.

    A NumPy function has the facts of its `jax.numpy` namesake. A name without a dot is
    a builtin. None: nothing is known.
    """
    name = canonical(name)
    row = _api_rows().get(name)
    if row is None and name.startswith("numpy."):
        name = "jax." + name
        row = _api_rows().get(name)
    if row is None:
        return None
    result, flags = row
    return Api(
        result,
        cheap="c" in flags,
        partial="p" in flags,
        pure="i" not in flags,
        static_params=_static_params().get(name, ()),
    )


def known() -> dict[str, Api]:
    """All that `lookup` knows of, under the canonical names, sorted."""
    found = {name: lookup(name) for name in sorted(_api_rows())}
    return {name: api for name, api in found.items() if api is not None}


def numpy_on_tracer(
    name: str, *, in_list: bool = False
) -> Literal["works", "fails", "unknown"]:
    """What a NumPy function does when its first argument is a tracer.

    `in_list`: the tracer is in a list or tuple, as in `np.stack([x, y])`, of which
    NumPy makes an array at once. `np.array_equal` "fails" in that it answers False
    whatever the values.
    """
    module, _, function = name.rpartition(".")
    if module == "numpy" and function in tables.WORK_ON_TRACERS.split():
        return "fails" if in_list else "works"
    if module == "numpy" and function in tables.FAIL_ON_TRACERS.split():
        return "fails"
    if ufunc_of(name) is not None:
        return "fails"
    api = lookup(name)
    known = is_dtype(name) is not None or (api is not None and api.result != "unknown")
    if known and module in ("numpy", "numpy.linalg", "numpy.fft"):
        return "fails"
    return "unknown"


def numpy_to_jnp(name: str, keywords: Collection[str] = ()) -> str | None:
    """The `jax.numpy` function that means the same, for a call with these keywords.

    None if there is none, or if it does not take a keyword. What NumPy makes in 64 bits
    `jax.numpy` makes in 32, unless x64 is on. Indices in range and static sizes are
    assumed, and `np.where` must have three arguments.
    """
    module, _, function = name.rpartition(".")
    if (ufunc := ufunc_of(name)) is not None:
        is_known = ufunc in tables.JNP_UFUNCS.split() and "out" not in keywords
        return f"jax.{name}" if is_known else None
    if module not in ("numpy", "numpy.linalg", "numpy.fft"):
        return None
    if function in tables.NOT_IN_JNP.split():
        return None
    function = dict(_pair(text) for text in tables.NUMPY_RENAMED.split()).get(
        function, function
    )
    target = f"jax.{module}.{function}"
    api = lookup(target)
    if api is None:
        return None
    refused = set(tables.NUMPY_KEYWORDS.split())
    if api.result in ("same", "float", "bool"):
        refused.update(tables.UFUNC_KEYWORDS.split())
    return None if refused & set(keywords) else target


def ufunc_of(name: str) -> str | None:
    """The `add` of `numpy.add.reduce` and `jax.numpy.add.outer`; None of others."""
    module, _, function = name.rpartition(".")
    package, _, ufunc = module.rpartition(".")
    is_method = function in tables.UFUNC_METHODS.split()
    if package not in ("numpy", "jax.numpy") or not is_method:
        return None
    return ufunc if lookup(module) is not None else None


@functools.cache
def is_dtype(name: str) -> str | None:
    """The dtype that a name such as `jax.numpy.float32` stands for, if it does."""
    module, _, last = name.rpartition(".")
    known = tables.DTYPES.split()
    if module == "numpy":
        known += tables.NUMPY_DTYPES.split()
    if module in ("jax.numpy", "numpy") and last in known:
        return _dtype_names().get(last, last)
    return None


@functools.cache
def _dtype_names() -> dict[str, str]:
    """Those dtype names that are not their own symbol (see `values.DType`)."""
    pairs = (
        "bool_=bool float_=float int_=int complex_=complex single=float32"
        " half=float16 csingle=complex64 intc=int32"
        " intp=int float64=float int64=int complex128=complex uint64=uint double=float"
        " cdouble=complex"
    )
    return dict(_pair(text) for text in pairs.split())


def _pair(text: str) -> tuple[str, str]:
    left, _, right = text.partition("=")
    return left, right


@functools.cache
def _aliases() -> dict[str, str]:
    return dict(_pair(text) for text in tables.ALIASES.split())


@functools.cache
def _api_rows() -> dict[str, tuple[str, str]]:
    rows: dict[str, tuple[str, str]] = {}
    for line in tables.ROWS.strip().split("\n"):
        module, result, flags, names = line.split("|")
        for name in names.split():
            rows[f"{module}.{name}"] = (result, flags)
    for name in tables.DTYPES.split():
        rows[f"jax.numpy.{name}"] = ("same", "c")
    return rows


@functools.cache
def _static_params() -> dict[str, tuple[StaticParam, ...]]:
    reasons = {
        n: word for word, ns in tables.STATIC_REASONS.items() for n in ns.split()
    }
    table: dict[str, tuple[StaticParam, ...]] = {}
    for line in tables.STATIC_PARAMS.strip().split("\n"):
        module, params, functions = line.split("|")
        found = []
        for param in params.split():
            name, _, place = param.partition("@")
            position = int(place) if place else None
            found.append(StaticParam(name, position, reasons.get(name, "flag")))
        for function in functions.split():
            table[f"{module}.{function}"] = tuple(found)
    return table
