"""Calls of NumPy on traced values: which fail, and what to call instead."""

from __future__ import annotations

import ast
from collections.abc import Callable

from jaxfix._analysis import arrays, build, jax_api
from jaxfix._analysis.facts import Function
from jaxfix._analysis.finding import CannotFix, Evidence
from jaxfix._analysis.operands import resolved
from jaxfix._analysis.values import Array, Const, Seq, Value, alternatives, holds_tracer

from .sizes import is_index_of_mask, sized
from .store_calls import store_call

# Functions that make one array of a list of arrays.
TAKE_LISTS = frozenset(f"numpy.{name}" for name in arrays.TAKE_LISTS)
# Functions that take arrays of any shapes in a list, one by one.
TAKE_SEVERAL = frozenset(
    f"numpy.{name}" for name in ["block", "select", "lexsort", "linalg.multi_dot"]
)
# Functions for which a list of integers is no array: shifts, shapes, subscripts, and
# what must be concrete.
TAKE_INTEGERS = TAKE_LISTS | {f"numpy.{n}" for n in ["roll", "resize", "einsum"]}
# Results of functions that take arrays and no shapes, but for what is static.
ELEMENTWISE = frozenset({"same", "float", "bool", "int", "matmul"})
# What must be concrete: a constant of JAX is none while it traces.
TAKE_CONSTANTS = frozenset({"numpy.delete", "numpy.compress", "numpy.repeat"})
# Functions that call a method of their first argument, whose others must be arrays.
CALL_METHODS = frozenset({"clip", "repeat", "searchsorted", "take"})
# Methods of arrays that are functions of the same name, with the array in front.
METHODS = frozenset(
    [
        *("choose", "clip", "dot", "max", "mean", "min", "prod", "repeat", "round"),
        *("searchsorted", "std", "sum", "take", "var"),
    ]
)
WIDE = {
    "numpy.float64": "float",
    "numpy.double": "float",
    "numpy.int64": "int",
    "numpy.longlong": "int",
    "numpy.complex128": "complex",
    "numpy.bool": "bool",
}


def numpy_call(fn: Function, node: ast.Call) -> tuple[str, ast.Call] | None:
    """The dotted name of the NumPy function that a call reaches, and the call of it.

    `table.dot(x)` is `np.dot(table, x)` where the table is an array of NumPy.
    """
    name = fn.library(node) or ""
    if name.startswith("numpy."):
        return name, node
    match node.func:
        case ast.Attribute(value=base, attr=attr) if (
            attr in METHODS and arrays.is_host_array(arrays.value(fn, base))
        ):
            return f"numpy.{attr}", ast.Call(
                node.func, [base, *node.args], node.keywords
            )
        case _:
            return None


def fails(fn: Function, node: ast.Call) -> tuple[Evidence, ...]:
    """Why a call of NumPy fails while JAX traces: the tracer among its arguments."""
    found = numpy_call(fn, node)
    if found is None or found[0].startswith("numpy.random."):
        return ()
    if store_call(fn, fn.module.parent(node)) is not None:
        return ()
    if sized(fn, node) is not None or is_index_of_mask(fn, node):
        return ()
    name, node = jax_api.canonical(found[0]), found[1]
    api = jax_api.lookup(name)
    static = {p.name: p.position for p in (api.static_params if api else ())}
    for position, arg in enumerate(node.args):
        if isinstance(arg, ast.Starred):
            if because := arrays.traced_inside(fn, arg.value):
                refused = (_refuses(fn, name, at, None) for at in (position, 1))
                return because if any(refused) else ()
            continue
        if position in static.values() and not _in_list(fn, arg):
            continue
        if because := arrays.traced_inside(fn, arg):
            refuses = _refuses(fn, name, position, arg) or _meets_list(fn, node, name)
            return because if refuses else ()
    for keyword in node.keywords:
        if keyword.arg is None:
            continue
        if keyword.arg in static and not _in_list(fn, keyword.value):
            continue
        if because := arrays.traced_inside(fn, keyword.value):
            is_first = keyword.arg in ("a", "x", "arr", "ar", "m")
            return because if _refuses(fn, name, 0 if is_first else 1, None) else ()
    return ()


def _refuses(fn: Function, name: str, position: int, arg: ast.expr | None) -> bool:
    in_list = arg is not None and _in_list(fn, arg)
    verdict = jax_api.numpy_on_tracer(name, in_list=in_list)
    if verdict == "works" and position > 0:
        return name.rpartition(".")[2] not in ("result_type", "can_cast", "shape")
    return verdict == "fails"


def _meets_list(fn: Function, node: ast.Call, name: str) -> bool:
    """Does the method of the first argument get a list for an array?"""
    return name.rpartition(".")[2] in CALL_METHODS and any(
        _is_list_of_integers(known) or _is_list_of_numbers(known)
        for known in (arrays.value(fn, arg) for arg in node.args[1:])
    )


def _in_list(fn: Function, arg: ast.expr) -> bool:
    known = arrays.value(fn, arg)
    return isinstance(known, Seq) and holds_tracer(known) is not None


def in_jax(fn: Function, node: ast.Call, spell: Callable[[str], str]) -> ast.Call:
    """The same call of `jax.numpy`.

    Raises:
      CannotFix: there is no function of the same meaning, or it takes no such argument.
    """
    found = numpy_call(fn, node)
    assert found is not None, "the call is one of NumPy"
    name, node = found
    text = ast.unparse(node.func)
    if name.endswith("()"):
        made_by = name.removesuffix("()").rpartition(".")[2]
        raise CannotFix(
            f"`np.{made_by}` calls a function with numbers; use `jnp.vectorize`"
        )
    keywords = [k.arg or "" for k in node.keywords]
    target = jax_api.numpy_to_jnp(jax_api.canonical(name), keywords)
    if target is None:
        odd = next((k for k in keywords if k in ("out", "like", "casting", "kind")), "")
        detail = f" with `{odd}=`" if odd else ""
        raise CannotFix(f"`{text}`{detail} has no counterpart in jax.numpy")
    if target == "jax.numpy.where" and len(node.args) != 3:
        raise CannotFix("the size of the result depends on the data")
    if name in WIDE and len(node.args) == 1:
        kind = build.load(WIDE[name])
        return build.call(spell("jax.numpy.asarray"), node.args[0], kind)
    check_static(fn, node, target)
    made = ast.Call(build.load(spell(target)), [], [])
    known_name = jax_api.canonical(name)
    keep_list = known_name in TAKE_LISTS
    api = jax_api.lookup(target)
    static = {p.position for p in (api.static_params if api is not None else ())}
    takes_integers = known_name in TAKE_INTEGERS or known_name.startswith("numpy.fft")
    is_elementwise = api is not None and api.result in ELEMENTWISE
    is_many = known_name in TAKE_SEVERAL
    if known_name in TAKE_CONSTANTS:
        static, maker = set(), "numpy.array"
    else:
        maker = "jax.numpy.array"
    made.args = [
        build.call(spell(maker), arg)
        if not (takes_integers or index in static)
        and (
            _is_list_of_integers(known := arrays.value(fn, arg))
            or (is_elementwise and _is_tuple_of_integers(known))
        )
        else operand(fn, arg, spell, keep_list=keep_list)
        for index, arg in enumerate(node.args)
    ]
    made.keywords = [
        ast.keyword(k.arg, _dtype(fn, k.value))
        if k.arg == "dtype"
        else ast.keyword(k.arg, k.value if is_many else _listed(fn, k.value, spell))
        for k in node.keywords
    ]
    if made.args and jax_api.is_dtype(target) is None:
        made.args[1:] = [_dtype(fn, arg) for arg in made.args[1:]]
    return made


def check_static(fn: Function, node: ast.Call, target: str) -> None:
    """Is what must be static, a shape for instance, free of tracers?

    Raises:
      CannotFix: it is not.
    """
    api = jax_api.lookup(target)
    for param in api.static_params if api is not None else ():
        given = [k.value for k in node.keywords if k.arg == param.name]
        if param.position is not None:
            given += node.args[param.position : param.position + 1]
        for arg in given:
            if arrays.traced_inside(fn, arg):
                text = f"`{ast.unparse(arg)}` is traced, and `{param.name}` is static"
                raise CannotFix(text)


def _dtype(fn: Function, node: ast.expr) -> ast.expr:
    """A 64-bit dtype as the default one of its kind, which x64 makes 64 bits wide."""
    wide = WIDE.get(fn.resolve(node) or "") if not build.is_new(node) else None
    return build.load(wide) if wide is not None else node


def operand(
    fn: Function, arg: ast.expr, spell: Callable[[str], str], *, keep_list: bool
) -> ast.expr:
    """An argument as `jax.numpy` takes it: lists of numbers become arrays."""
    parent = fn.module.parent(arg)
    name = (fn.library(parent) if parent is not None else None) or ""
    if isinstance(arg, ast.Starred) or name in TAKE_SEVERAL:
        return arg
    known = arrays.value(fn, arg)
    if not _is_list_of_numbers(known):
        return arg
    if not keep_list:
        return _array_of(arg, spell)
    if name.rpartition(".")[2] in ("array", "asarray", "asanyarray"):
        return arg
    takes_nested = not isinstance(arg, ast.List | ast.Tuple)
    assert isinstance(known, Seq), "it is a list or a tuple"
    items = known.items
    if takes_nested:
        if items is not None:
            is_flat = not any(isinstance(i, Seq) for i in items)
        else:
            each = alternatives(known.elem) if known.elem is not None else ()
            is_flat = bool(each) and all(
                isinstance(i, Array) and not i.tree for i in each
            )
        return arg if is_flat else _array_of(arg, spell)
    assert isinstance(arg, ast.List | ast.Tuple), "the argument is a display"
    elements = [
        _array_of(e, spell)
        if isinstance(e, ast.List) or isinstance(arrays.value(fn, e), Seq)
        else e
        for e in arg.elts
    ]
    if all(new is old for new, old in zip(elements, arg.elts, strict=True)):
        return arg
    return type(arg)(elements, ast.Load())


def _listed(fn: Function, arg: ast.expr, spell: Callable[[str], str]) -> ast.expr:
    """The value of a keyword: a list with a tracer in it becomes an array."""
    return _array_of(arg, spell) if _in_list(fn, arg) else arg


def _array_of(arg: ast.expr, spell: Callable[[str], str]) -> ast.expr:
    return build.call(spell("jax.numpy.array"), arg)


def _is_tuple_of_integers(known: Value | None) -> bool:
    if isinstance(known, Const) and isinstance(known.value, tuple):
        return bool(known.value) and all(type(v) is int for v in known.value)
    if not isinstance(known, Seq) or known.kind != "tuple" or not known.items:
        return False
    return all(isinstance(i, Const) and type(i.value) is int for i in known.items)


def _is_list_of_integers(known: Value | None) -> bool:
    if not isinstance(known, Seq) or known.kind != "list" or not known.items:
        return False
    return all(
        _is_list_of_integers(item)
        or (isinstance(item, Const) and isinstance(item.value, int))
        for item in known.items
    )


def _is_list_of_numbers(known: Value | None) -> bool:
    """Is it a list that must become an array? A tuple of ints is a shape, or axes."""
    if not isinstance(known, Seq) or known.kind not in ("list", "tuple"):
        return False
    if holds_tracer(known) is not None:
        return True
    return any(
        _is_inexact(o) or (known.kind == "list" and isinstance(o, Array))
        for item in known.items or ()
        for o in alternatives(resolved(item))
    )


def _is_inexact(known: Value) -> bool:
    """A float or complex number, which is no part of a shape, nor an axis."""
    return isinstance(known, Const) and isinstance(known.value, float | complex)
