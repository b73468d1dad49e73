"""Casts of traced values to Python numbers, and what arrays have instead."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass

from jaxfix._analysis import arrays, build, jax_api
from jaxfix._analysis.definitions import bindings, resolved
from jaxfix._analysis.facts import Function
from jaxfix._analysis.finding import CannotFix, Evidence
from jaxfix._analysis.scopes import names, parameter_names
from jaxfix._analysis.shapes import known_dims
from jaxfix._analysis.values import SCALAR, WEAK_FLOAT, Array, Seq, Value, alternatives

from . import comparing, truth_numbers

Spell = Callable[[str], str]

BUILTIN = frozenset(["int", "float", "bool", "complex", "operator.index"])
KINDS = {"int": "i", "float": "f", "bool": "b", "complex": "c", "operator.index": "i"}
METHODS = frozenset(["item", "tolist", "__int__", "__float__", "__bool__", "__index__"])

# `math` functions by the jax functions that mean the same; others are spelled alike.
MATH = {
    "acos": "jax.numpy.arccos",
    "acosh": "jax.numpy.arccosh",
    "asin": "jax.numpy.arcsin",
    "asinh": "jax.numpy.arcsinh",
    "atan": "jax.numpy.arctan",
    "atan2": "jax.numpy.arctan2",
    "atanh": "jax.numpy.arctanh",
    "degrees": "jax.numpy.rad2deg",
    "radians": "jax.numpy.deg2rad",
    "erf": "jax.scipy.special.erf",
    "erfc": "jax.scipy.special.erfc",
    "gamma": "jax.scipy.special.gamma",
    "lgamma": "jax.scipy.special.gammaln",
} | {
    name: f"jax.numpy.{name}"
    for name in [
        "cbrt",
        "copysign",
        "cos",
        "cosh",
        "exp",
        "exp2",
        "expm1",
        "fabs",
        "fmod",
        "gcd",
        "hypot",
        "isfinite",
        "isinf",
        "isnan",
        "lcm",
        "ldexp",
        "log",
        "log10",
        "log1p",
        "log2",
        "nextafter",
        "sin",
        "sinh",
        "sqrt",
        "tan",
        "tanh",
    ]
}
ROUNDING = frozenset(["ceil", "floor", "trunc"])
# They multiply as `*` does, whatever the factors are.
PRODUCTS = frozenset(["math.prod", "math.sumprod"])
# Functions of `statistics` on an array: the function, and the value of `ddof`.
STATISTICS = {
    "statistics.fmean": ("jax.numpy.mean", 0),
    "statistics.mean": ("jax.numpy.mean", 0),
    "statistics.median": ("jax.numpy.median", 0),
    "statistics.pstdev": ("jax.numpy.std", 0),
    "statistics.pvariance": ("jax.numpy.var", 0),
    "statistics.stdev": ("jax.numpy.std", 1),
    "statistics.variance": ("jax.numpy.var", 1),
}
# What else of the standard library computes with numbers alone.
OF_NUMBERS = STATISTICS.keys() | {
    "array.array",
    "decimal.Decimal",
    "fractions.Fraction",
    "statistics.geometric_mean",
    "statistics.harmonic_mean",
    "statistics.median_high",
    "statistics.median_low",
    "statistics.mode",
    "struct.pack",
}
# Methods that Python calls itself, and whose result it checks.
ASKED_BY_PYTHON = frozenset(
    f"__{name}__"
    for name in ["bool", "len", "length_hint", "int", "float", "complex", "index"]
)


@dataclass(frozen=True, slots=True)
class Cast:
    """A call that wants a concrete number. `name`: `"int"`, `"item"`, `"math.sqrt"`."""

    name: str
    arg: ast.expr
    because: tuple[Evidence, ...]


def cast(fn: Function, node: ast.Call) -> Cast | None:
    """The cast of a traced value that a call is."""
    found = arrays.method(fn, node)
    if found is not None and found[1] in METHODS:
        because = arrays.forced(fn, found[0]) if fn.value(found[0]) else ()
        return Cast(found[1], found[0], because) if because else None
    name = arrays.library(fn, node)
    if name is None:
        return None
    if name in BUILTIN and len(node.args) == 1 and not node.keywords:
        arg = node.args[0]
        under_jit = fn.value(arg) is not None
        because = arrays.forced(fn, arg)
        if because and (under_jit or name in ("float", "complex")):
            return Cast(name.removeprefix("operator."), arg, because)
    if name == "complex" and len(node.args) == 2 and not node.keywords:
        for arg in node.args:
            if because := arrays.forced(fn, arg):
                return Cast(name, arg, because)
    if (
        name == "enumerate"
        and (start := first_number(node)) is not None
        and (because := arrays.forced(fn, start))
    ):
        return Cast(name, start, because)
    if name == "map" and len(node.args) == 2 and fn.resolve(node.args[0]) in BUILTIN:
        known = fn.value(node.args[1])
        if isinstance(known, Array) and known.tree:
            return None  # it may be a dict, whose keys are static
        because = arrays.traced_inside(fn, node.args[1])
        return Cast(name, node.args[1], because) if because else None
    if name in PRODUCTS:
        return None
    if name.startswith(("math.", "cmath.")) or name in OF_NUMBERS:
        for arg in node.args:
            if because := arrays.traced_inside(fn, arg):
                return Cast(name, arg, because)
            if because := arrays.forced(fn, arg):
                return Cast(name, arg, because)
    return None


def _check_taken(fn: Function, call: ast.Call) -> None:
    """Refuse a number that a set hashes, or a list compares, where arrays cannot."""
    if (one := comparing.comparison(fn, call)) is not None:
        comparing.as_arrays(fn, one, lambda name: name)
    method = call.func
    if isinstance(method, ast.Attribute) and method.attr in ("add", "discard"):
        known = fn.value(method.value)
        options = alternatives(known) if known is not None else ()
        if any(isinstance(o, Seq) and o.kind == "set" for o in options):
            raise CannotFix(comparing.NO_HASH)


def is_for_a_static_argument(fn: Function, node: ast.Call, found: Cast) -> bool:
    """Does an argument of the function end as a shape by way of the cast?

    Then it is the argument that has to be static, and the cast is right.
    """
    if isinstance(fn.node, ast.Module) or not arrays.size_uses(fn, node):
        return False
    if any(isinstance(n, ast.Call | ast.Subscript) for n in ast.walk(found.arg)):
        return False
    names = {n.id for n in ast.walk(found.arg) if isinstance(n, ast.Name)}
    return bool(names) and all(
        n in parameter_names(fn.node) and not bindings(fn, n) for n in names
    )


def check_end(fn: Function, node: ast.Call) -> None:
    """Refuse a cast whose number goes where an array cannot.

    Raises:
      CannotFix: it is stored outside of the trace, given to Python itself, hashed, or
        looked for in a list.
    """
    asked_by_python = getattr(fn.node, "name", None) in ASKED_BY_PYTHON
    for use, parent in arrays.ends(fn, node):
        if isinstance(parent, ast.Call) and use in parent.args:
            _check_taken(fn, parent)
        elif isinstance(parent, ast.Set | ast.SetComp):
            raise CannotFix(comparing.NO_HASH)
        if asked_by_python and isinstance(parent, ast.Return):
            raise CannotFix("Python wants a number of its own from this method")
        place: ast.AST | None = use
        while place is not None and not isinstance(place, ast.Lambda | ast.FunctionDef):
            if fn.facts.writes_outside(place):
                raise CannotFix("the number is stored outside of the trace")
            place = fn.module.parent(place)


def as_array(fn: Function, node: ast.Call, found: Cast, spell: Spell) -> ast.expr:
    """The same value as an array.

    Raises:
      CannotFix: there is no such function on arrays.
    """
    name, arg = found.name, found.arg
    if name.startswith("cmath."):
        return _cmath(fn, node, name, spell)
    if name.startswith("math."):
        return _math(fn, node, name.removeprefix("math."), spell)
    if name in STATISTICS and len(node.args) == 1 and not node.keywords:
        return _statistic(fn, name, arg, spell)
    if name in OF_NUMBERS:
        raise CannotFix(f"`{name}` computes with Python numbers alone")
    if name == "map":
        of = ast.unparse(node.args[0])
        raise CannotFix(f"`{of}` is called on each element; use them as they are")
    if name == "enumerate":
        return _counted(node, arg)
    if name == "complex" and len(node.args) == 2:
        return _complex(fn, node.args[0], node.args[1], spell)
    if name == "tolist":
        if is_taken_apart(fn, node) and arrays.rank(fn.value(arg)) == 1:
            return arg
        raise CannotFix("a list of Python numbers is asked for; use the array itself")
    if name == "item":
        if node.args or node.keywords:
            raise CannotFix("one element is asked for by its number; index the array")
        if _is_already(fn, arg, "b") and truth_numbers.is_number(fn, node):
            return build.method(_scalar(fn, arg), "astype", build.load("int"))
        return _scalar(fn, arg)
    kind = {"index": "int"}.get(name, name.strip("_"))
    scalar = _scalar(fn, arg) if known_shape(fn, arg) not in (None, SCALAR) else arg
    may_be_number = arrays.may_be_python_number(fn, arg)
    if kind == "bool" and truth_numbers.is_number(fn, node):
        if not _is_already(fn, arg, "b"):
            scalar = ast.Compare(scalar, [ast.NotEq()], [build.const(0)])
        kind = "int"
    elif _is_already(fn, arg, KINDS[kind]) and not may_be_number:
        return scalar
    if may_be_number:
        return build.call(spell("jax.numpy.asarray"), scalar, build.load(kind))
    return build.method(scalar, "astype", build.load(kind))


def _complex(fn: Function, real: ast.expr, imag: ast.expr, spell: Spell) -> ast.expr:
    """`complex(x, y)`; `1j * y` has a real part too where y is infinite."""
    parts = (fn.value(real), fn.value(imag))
    dtypes = {p.dtype if isinstance(p, Array) else None for p in parts}
    if len(dtypes) == 1 and all(
        arrays.kind(p) == "f" and arrays.is_scalar(p) for p in parts
    ):
        return build.call(spell("jax.lax.complex"), real, imag)
    if any(arrays.kind(part) == "c" for part in parts):
        raise CannotFix("a part of the complex number is complex itself")
    turned = ast.BinOp(ast.Constant(1j), ast.Mult(), imag)
    return ast.BinOp(real, ast.Add(), turned)


def _statistic(fn: Function, name: str, items: ast.expr, spell: Spell) -> ast.expr:
    """`statistics.stdev(xs)` as `jnp.std(jnp.array(xs), ddof=1)`."""
    function, ddof = STATISTICS[name]
    made = build.call(spell(function), _gathered(fn, items, spell))
    if ddof:
        made.keywords.append(ast.keyword("ddof", build.const(ddof)))
    return made


def _gathered(fn: Function, items: ast.expr, spell: Spell) -> ast.expr:
    """What is iterated over as one array, which `jnp.array` makes of a list alone."""
    value = fn.value(resolved(fn, items))
    if arrays.is_array(value):
        return items
    if isinstance(items, ast.GeneratorExp):
        items = ast.ListComp(items.elt, items.generators)
    elif not isinstance(value, Seq) or value.kind not in ("list", "tuple"):
        items = build.call("list", items)
    return build.call(spell("jax.numpy.array"), items)


def first_number(node: ast.Call) -> ast.expr | None:
    """From which number on a call of `enumerate` counts; None if it does not say."""
    match node:
        case ast.Call(args=[_, start], keywords=[]):
            return start
        case ast.Call(args=[_], keywords=[ast.keyword(arg="start", value=start)]):
            return start
        case _:
            return None


def _counted(node: ast.Call, start: ast.expr) -> ast.expr:
    """`enumerate(xs, k)` as `((k + i, x) for i, x in enumerate(xs))`."""
    if not isinstance(start, ast.Name | ast.Attribute):
        raise CannotFix("give the number that it counts from a name")
    taken = set(names(start))
    place = next(n for n in ("i", "j") if n not in taken)
    item = next(n for n in ("item", "element") if n not in taken)
    number = ast.BinOp(start, ast.Add(), build.load(place))
    pair = ast.Tuple([number, build.load(item)], ast.Load())
    counted = build.call(node.func, node.args[0])
    source = ast.comprehension(build.targets([place, item]), counted, [], 0)
    return ast.GeneratorExp(pair, [source])


def is_taken_apart(fn: Function, node: ast.expr) -> bool:
    """Are only the elements of a list used: unpacked, indexed or run over?"""
    match fn.module.parent(node):
        case ast.Assign(targets=[ast.Tuple(elts=parts)]):
            return not any(isinstance(part, ast.Starred) for part in parts)
        case ast.Subscript(value=value, slice=index):
            return value is node and not isinstance(index, ast.Slice)
        case ast.For(iter=values) | ast.comprehension(iter=values):
            return values is node
        case _:
            return False


def _is_already(fn: Function, arg: ast.expr, wanted: str) -> bool:
    """Is the argument of the wanted kind for every caller?"""
    if wanted == "f" and _gives_floats(fn, resolved(fn, arg)):
        return True
    known = (fn.value(arg), fn.host_value(arg), fn.linear_value(arg))
    return all(
        arrays.kind(v) == wanted or (wanted == "f" and _is_inexact(v))
        for v in known
        if v is not None
    )


def _gives_floats(fn: Function, node: ast.expr) -> bool:
    """Is it a call of a function whose result is inexact, whatever the argument?"""
    name = arrays.library(fn, node)
    api = jax_api.lookup(name) if name is not None else None
    return api is not None and api.result in ("float", "reduce-float")


def _is_inexact(known: Value) -> bool:
    """A float, or else a complex number, of which there is no float."""
    dtype = known.dtype if isinstance(known, Array) else None
    return dtype is not None and dtype.weak == WEAK_FLOAT


def known_shape(fn: Function, arg: ast.expr) -> object:
    known = arrays.value(fn, arg)
    if isinstance(known, Array) and known_dims(known.shape) is not None:
        return known.shape
    return None


def _scalar(fn: Function, arg: ast.expr) -> ast.expr:
    """An array of one element without its dimensions."""
    if known_shape(fn, arg) == SCALAR:
        return arg
    return build.method(arg, "reshape", ast.Tuple([], ast.Load()))


def _cmath(fn: Function, node: ast.Call, name: str, spell: Spell) -> ast.expr:
    """A function of a complex number: a real one is made complex first."""
    function = name.removeprefix("cmath.")
    made = {"phase": "jax.numpy.angle"}.get(function, MATH.get(function))
    if made is None or len(node.args) != 1 or node.keywords:
        raise CannotFix(f"`{name}` with these arguments has no counterpart")
    (arg,) = node.args
    if arrays.kind(fn.value(arg)) != "c" and function not in _REAL:
        arg = ast.BinOp(arg, ast.Add(), build.const(0j))
    return build.call(spell(made), arg)


# Functions of complex numbers whose results are none.
_REAL = frozenset(["phase", "isfinite", "isinf", "isnan"])


def _math(fn: Function, node: ast.Call, name: str, spell: Spell) -> ast.expr:
    args = node.args
    if node.keywords or any(isinstance(a, ast.Starred) for a in args):
        raise CannotFix(f"`math.{name}` with these arguments has no counterpart")
    if name in ROUNDING:
        made = build.call(spell(f"jax.numpy.{name}"), *args)
        return build.method(made, "astype", build.load("int"))
    if name == "pow":
        floats = any(arrays.kind(fn.value(a)) == "f" for a in args)
        exact = "jax.numpy.power" if floats else "jax.numpy.float_power"
        return build.call(spell(exact), *args)
    if name == "log" and len(args) == 2:
        logs = []
        for arg in args:
            old = node.func if fn.static(arg) else build.load(spell("jax.numpy.log"))
            logs.append(build.call(old, arg))
        return ast.BinOp(logs[0], ast.Div(), logs[1])
    if name == "fsum" and len(args) == 1:
        return build.call(spell("jax.numpy.sum"), _gathered(fn, args[0], spell))
    wanted = (
        2
        if name
        in ("atan2", "copysign", "fmod", "hypot", "gcd", "lcm", "ldexp", "nextafter")
        else 1
    )
    if name not in MATH or len(args) != wanted:
        raise CannotFix(f"`math.{name}` has no counterpart in jax.numpy")
    return build.call(spell(MATH[name]), *args)
