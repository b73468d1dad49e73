"""Python containers and NumPy tables indexed by a tracer."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

from jaxfix._analysis import arrays, build
from jaxfix._analysis.effects import obstacle
from jaxfix._analysis.facts import Function
from jaxfix._analysis.finding import CannotFix, Evidence, Safety
from jaxfix._analysis.objects import MethodValue, is_callable
from jaxfix._analysis.values import (
    Array,
    Const,
    Dict,
    Seq,
    Static,
    Value,
    alternatives,
    element,
)

from .folds import used_as_array
from .masks import mask_of
from .signs import nonnegative

Spell = Callable[[str], str]

_NUMBERS = ("int", "float", "bool", "complex")


@dataclass(frozen=True, slots=True)
class Lookup:
    """`table[index]`, `table[index](...)` or `table.get(index, default)`."""

    table: ast.expr
    index: ast.expr
    node: ast.expr
    known: Value
    because: tuple[Evidence, ...]
    call: ast.Call | None = None
    default: ast.expr | None = None


def lookup(fn: Function, node: ast.Subscript | ast.Call) -> Lookup | None:
    """The lookup in a container of Python or NumPy that a tracer cannot do."""
    if isinstance(node, ast.Call):
        if isinstance(node.func, ast.Subscript):
            inner = _subscript(fn, node.func)
            if inner is not None and holds_functions(inner.known):
                return replace(inner, call=node)
            return None
        return _get(fn, node)
    found = _subscript(fn, node)
    parent = fn.module.parent(node)
    if found is not None and isinstance(parent, ast.Call) and parent.func is node:
        return None if holds_functions(found.known) else found
    return found


def _subscript(fn: Function, node: ast.Subscript) -> Lookup | None:
    known = fn.value(node.value)
    if known is None:
        return None
    if arrays.is_host_array(known):
        parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        if not isinstance(node.ctx, ast.Load):
            return None
        if any(isinstance(p, ast.Slice) and fn.static(p) is False for p in parts):
            return None
        if any(mask_of(fn, part) is not None for part in parts):
            return None
        because = next((b for p in parts if (b := _unhashable(fn, p))), ())
    elif all(_is_container(o) for o in alternatives(known)):
        because = _unhashable(fn, node.slice)
    else:
        return None
    return Lookup(node.value, node.slice, node, known, because) if because else None


def _unhashable(fn: Function, index: ast.expr) -> tuple[Evidence, ...]:
    """Why an index has no hash and is no integer: a tracer, or a holder of one."""
    if isinstance(index, ast.Tuple):
        return next((b for e in index.elts if (b := _unhashable(fn, e))), ())
    known = fn.value(index)
    if isinstance(known, Seq):
        return arrays.traced_inside(fn, index)
    return arrays.forced(fn, index)


def _is_list(known: Value | None) -> bool:
    return isinstance(known, Seq) and known.kind == "list"


def _is_container(known: Value) -> bool:
    match known:
        case Seq(kind="list" | "tuple") | Dict() | Static(type="shape"):
            return True
        case Const(value=tuple() | list() | str()):
            return True
        case _:
            return False


def _get(fn: Function, node: ast.Call) -> Lookup | None:
    known = fn.value(node.func)
    if not isinstance(known, MethodValue) or known.name != "get" or not node.args:
        return None
    if not isinstance(known.receiver, Dict) or not isinstance(node.func, ast.Attribute):
        return None
    because = _unhashable(fn, node.args[0])
    if not because:
        return None
    default = node.args[1] if len(node.args) > 1 else build.const(None)
    return Lookup(
        node.func.value, node.args[0], node, known.receiver, because, None, default
    )


def holds_functions(known: Value) -> bool:
    items = members(known)
    return items is not None and bool(items) and all(is_callable(i) for i in items)


def members(known: Value) -> list[Value] | None:
    """The elements of a list or the values of a dict, if they can be counted."""
    if isinstance(known, Dict):
        return [v for _, v in known.items] if known.items is not None else None
    items = arrays.items_of(known)
    return list(items) if items is not None else None


def keys(known: Value) -> list[Any] | None:
    if isinstance(known, Dict) and known.items is not None:
        return [k for k, _ in known.items]
    return None


# --- what to write


def safety(one: Lookup) -> Safety:
    """A key that is missing raises in Python; an index is checked by neither."""
    is_dict = isinstance(one.known, Dict) and one.default is None
    return Safety.UNSAFE if is_dict else Safety.SAFE


def rewritten(fn: Function, one: Lookup, spell: Spell) -> ast.expr:
    """The lookup on arrays.

    Raises:
      CannotFix: the container holds something that is no number and no function.
    """
    if one.call is not None:
        return _switch(fn, one, spell)
    if isinstance(one.known, Dict):
        return _of_dict(fn, one, spell)
    table = one.table
    if arrays.is_host_array(one.known):
        table = build.call(spell("jax.numpy.asarray"), table)
        index = one.index
        if _is_list(fn.value(index)):
            index = build.call(spell("jax.numpy.array"), index)
        return ast.Subscript(table, index, ast.Load())
    if holds_functions(one.known):
        raise CannotFix("a function is picked but not called here; use `lax.switch`")
    if not _is_row(fn, table, spell):
        table = build.call(spell(_maker(one.known)), table)
    _check_rows(fn, one)
    return ast.Subscript(table, one.index, ast.Load())


def _is_row(fn: Function, table: ast.expr, spell: Spell) -> bool:
    """Is the container a row that is looked up itself, in a table of numbers?"""
    if not isinstance(table, ast.Subscript):
        return False
    outer = lookup(fn, table)
    if outer is None or isinstance(outer.known, Dict) or _depth(outer.known) is None:
        return False
    rewritten(fn, outer, spell)
    return True


def _check_rows(fn: Function, one: Lookup) -> None:
    """Where a tuple is looked up, will a row of an array do?

    Raises:
      CannotFix: it will not.
    """
    rows = [row for row in members(one.known) or () if _is_container(row)]
    if not rows:
        return
    if not used_as_array(fn, one.node):
        raise CannotFix("a tuple or list is looked up, and used as one")
    for row in rows:
        kinds = {arrays.kind(item) for item in members(row) or ()}
        if len(kinds & {"i", "b"}) and "f" in kinds:
            raise CannotFix("a row holds integers and floats, which an array cannot")


def _maker(known: Value) -> str:
    """The function that makes an array of a list.

    Raises:
      CannotFix: the list holds something else than numbers and arrays.
    """
    items = members(known)
    if items and all(isinstance(i, Array) for i in items):
        shapes = {i.shape for i in items if isinstance(i, Array)}
        if len(shapes - {None}) > 1:
            raise CannotFix("the arrays in the list have different shapes")
        return "jax.numpy.stack"
    if _depth(known) is None:
        raise CannotFix("the container does not hold numbers alone")
    return "jax.numpy.array"


def _depth(known: Value) -> tuple[int, ...] | None:
    """The dimensions of nested lists of numbers, -1 for those not known."""
    match known:
        case Const(value=bool() | int() | float() | complex()):
            return ()
        case Static(type=kind) if kind in _NUMBERS:
            return ()
        case Static(type="shape"):
            return (-1,)
        case Array():
            return () if arrays.is_scalar(known) else None
    items = members(known) if not isinstance(known, Dict) else None
    if items is None:
        if not isinstance(known, Seq) or known.kind not in ("list", "tuple"):
            return None
        inner = _depth(element(known))
        return (-1, *inner) if inner is not None else None
    depths = {_depth(item) for item in items}
    only = depths.pop() if len(depths) == 1 else None
    return (len(items), *only) if only is not None else None


def _of_dict(fn: Function, one: Lookup, spell: Spell) -> ast.expr:
    names, items = keys(one.known), members(one.known)
    if one.default is None and names is not None and (counts := _grid(names)):
        return _of_grid(fn, one, counts, spell)
    if names is None or not names or not all(type(k) in (int, float) for k in names):
        raise CannotFix("the keys of the dict are not known to be numbers")
    if items is None or not all(_depth(item) == () for item in items):
        raise CannotFix("the dict does not hold numbers alone")
    values = build.call("list", build.method(one.table, "values"))
    if one.default is None and names == list(range(len(names))):
        table = build.call(spell("jax.numpy.array"), values)
        return ast.Subscript(table, one.index, ast.Load())
    if sum(1 for _ in ast.walk(one.index)) > 8:
        raise CannotFix("give the key a name: it is needed for each entry")
    used = {n.id for n in ast.walk(one.index) if isinstance(n, ast.Name)}
    key = next(n for n in ("key", "k", "entry") if n not in used)
    test = ast.Compare(one.index, [ast.Eq()], [build.load(key)])
    generator = ast.comprehension(build.store(key), one.table, [], 0)
    made = build.call(
        spell("jax.numpy.select"), ast.ListComp(test, [generator]), values
    )
    if one.default is not None:
        if not isinstance(fn.value(one.default), Array | Static) and not (
            arrays.is_scalar(fn.value(one.default))
        ):
            raise CannotFix("the default is not a number")
        made.args.append(one.default)
    return made


def _grid(names: list[Any]) -> tuple[int, ...]:
    """How many numbers stand at each place of keys `(0, 0), (0, 1), ...`, if all do."""
    if not all(isinstance(name, tuple) and len(name) > 1 for name in names):
        return ()
    places = list(zip(*names, strict=False))
    if not all(type(part) is int for place in places for part in place):
        return ()
    counts = tuple(max(place) + 1 for place in places)
    return counts if set(names) == set(product(*map(range, counts))) else ()


def _of_grid(
    fn: Function, one: Lookup, counts: tuple[int, ...], spell: Spell
) -> ast.expr:
    """`jnp.array([[table[i, j] for j in range(2)] for i in range(3)])[a, b]`.

    Raises:
      CannotFix: the index is no tuple, or the dict does not hold numbers of one form.
    """
    if not isinstance(one.index, ast.Tuple) or len(one.index.elts) != len(counts):
        raise CannotFix("the keys of the dict are tuples, and the parts have no names")
    depths = {_depth(item) for item in members(one.known) or ()}
    if len(depths) != 1 or None in depths:
        raise CannotFix("the dict does not hold numbers alone")
    _check_rows(fn, one)
    used = {n.id for n in ast.walk(one.table) if isinstance(n, ast.Name)}
    free = [name for name in "ijklmnpqr" if name not in used][: len(counts)]
    key = ast.Tuple([build.load(name) for name in free], ast.Load())
    made: ast.expr = ast.Subscript(one.table, key, ast.Load())
    for name, count in reversed(list(zip(free, counts, strict=True))):
        source = build.call("range", build.const(count))
        generator = ast.comprehension(build.store(name), source, [], 0)
        made = ast.ListComp(made, [generator])
    table = build.call(spell("jax.numpy.array"), made)
    return ast.Subscript(table, one.index, ast.Load())


def _switch(fn: Function, one: Lookup, spell: Spell) -> ast.expr:
    """`FUNCTIONS[i](x)` as `lax.switch(i, FUNCTIONS, x)`."""
    assert one.call is not None, "the lookup is called"
    if one.call.keywords or any(isinstance(a, ast.Starred) for a in one.call.args):
        raise CannotFix("`lax.switch` passes on positional arguments only")
    for arg in one.call.args:
        if not _is_operand(arrays.value(fn, arg)):
            raise CannotFix(f"`{ast.unparse(arg)}` is static, and would become traced")
    if arrays.kind(fn.value(one.index)) not in ("i", ""):
        raise CannotFix("the index is not an integer")
    if (why := obstacle(fn, one.call)) is not None:
        raise CannotFix(why)
    index, branches = one.index, one.table
    names = keys(one.known)
    if names is not None:
        index, branches = _by_key(one, names, spell)
    elif not nonnegative(fn, index):
        count = build.call("len", one.table)
        index = ast.BinOp(index, ast.Mod(), count)
    return build.call(spell("jax.lax.switch"), index, branches, *one.call.args)


def _by_key(one: Lookup, names: list[Any], spell: Spell) -> tuple[ast.expr, ast.expr]:
    """The place of a key among the branches, and the branches."""
    if not all(type(k) is int for k in names):
        raise CannotFix("the keys of the dict are not integers")
    if names == list(range(len(names))):
        return one.index, build.call("list", build.method(one.table, "values"))
    ordered = build.call("sorted", one.table)
    place = build.call(
        spell("jax.numpy.searchsorted"),
        build.call(spell("jax.numpy.array"), ordered),
        one.index,
    )
    generator = ast.comprehension(build.store("key"), ordered, [], 0)
    entry = ast.Subscript(one.table, build.load("key"), ast.Load())
    return place, ast.ListComp(entry, [generator])


def _is_operand(known: Value | None) -> bool:
    match known:
        case Array():
            return True
        case Const(value=float()) | Static(type="float"):
            return True
        case Seq(items=tuple(items)):
            return all(_is_operand(i) for i in items)
        case Dict(items=tuple(pairs)):
            return all(_is_operand(v) for _, v in pairs)
        case _:
            return False
