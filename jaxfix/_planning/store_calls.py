"""Calls that store into an array of NumPy: `np.add.at(x, i, 1)`, `x.fill(1)`."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass

from jaxfix._analysis import arrays, build, jax_api
from jaxfix._analysis.facts import Function
from jaxfix._analysis.finding import CannotFix, Evidence
from jaxfix._analysis.indexing import STORING, out_of
from jaxfix._analysis.scopes import parameter_names
from jaxfix._analysis.values import Array, Seq

from . import aliases, masks, stores
from .kept_arrays import CHANGING, why_kept


@dataclass(frozen=True, slots=True)
class StoreCall:
    """`np.copyto(base, *given)`: `method` of `base.at[...]` does the same.

    `is_result`: it is `np.add(*given, out=base)`.
    """

    call: ast.Call
    base: ast.expr
    given: list[ast.expr]
    method: str
    is_result: bool = False


def store_call(fn: Function, stmt: ast.AST | None) -> StoreCall | None:
    """The call, if a statement is one that stores into an array and gives nothing."""
    match stmt:
        case ast.Expr(value=ast.Call(args=[base, *given]) as call) if (
            name := fn.library(call) or ""
        ) in STORING:
            return StoreCall(call, base, given, STORING[name])
        case ast.Expr(
            value=ast.Call(
                func=ast.Attribute(value=base, attr="fill"), args=given
            ) as call
        ) if arrays.is_host_array(arrays.value(fn, base)):
            return StoreCall(call, base, given, "set")
        case ast.Expr(value=ast.Call() as call) if (
            out := out_of(fn.library(call) or "", call)
        ) is not None:
            given = [arg for arg in call.args if arg is not out]
            return StoreCall(call, out, given, "set", is_result=True)
        case _:
            return None


def why_unchanged(fn: Function, stmt: ast.Expr) -> tuple[Evidence, ...]:
    """Why the array of a statement `x.sort()` is traced, and so does not change."""
    match stmt.value:
        case ast.Call(func=ast.Attribute(value=base, attr=attr)) if attr in CHANGING:
            return arrays.traced(fn, base)
        case _:
            return ()


def why_kept_by(fn: Function, stmt: ast.Expr) -> tuple[Evidence, ...]:
    """Why `p.sort()` changes an array of NumPy that the program has taken in."""
    match stmt.value:
        case ast.Call(func=ast.Attribute(value=base, attr=attr)) if attr in CHANGING:
            return _why_kept(fn, base)
        case _:
            return ()


def why_stored(fn: Function, one: StoreCall) -> tuple[Evidence, ...]:
    """Why it cannot work while JAX traces; empty if it can."""
    base = one.base
    known = arrays.value(fn, base)
    if not arrays.is_array(known):
        return ()
    if because := arrays.traced(fn, base):
        return because
    given = [*one.given, *(k.value for k in one.call.keywords)]
    found = (arrays.traced_inside(fn, part) for part in given)
    because = next((because for because in found if because), ())
    return because or _why_kept(fn, base)


def _why_kept(fn: Function, base: ast.expr) -> tuple[Evidence, ...]:
    is_host = arrays.is_host_array(arrays.value(fn, base))
    return why_kept(fn, base.id) if is_host and isinstance(base, ast.Name) else ()


def check(fn: Function, stmt: ast.stmt, one: StoreCall) -> str:
    """The name of the array, which may be bound anew.

    Raises:
      CannotFix: it may not, or the call has options that no JAX operation has.
    """
    base = one.base
    if not isinstance(base, ast.Name):
        raise CannotFix(f"`{ast.unparse(base)}` is no variable of this function")
    name = base.id
    if name not in stores.own_names(fn):
        raise CannotFix(f"`{name}` belongs to another scope")
    if not isinstance(fn.node, ast.Module) and name in parameter_names(fn.node):
        if aliases.is_given_numpy(fn, name):
            raise CannotFix(f"`{name}` is an argument, and the caller's array changes")
        if not aliases.read_after(fn, stmt, name):
            raise CannotFix(f"`{name}` is not read afterwards; return the new array")
    stores.check_aliases(fn, stmt, name)
    stores.buffer(fn, base)
    updated(fn, one, lambda jax_name: jax_name)
    return name


def updated(fn: Function, one: StoreCall, spell: Callable[[str], str]) -> ast.expr:
    """The array after the store.

    Raises:
      CannotFix: JAX has no operation of this meaning.
    """
    if one.is_result:
        return _result(fn, one, spell)
    call, base, given, method = one.call, one.base, one.given, one.method
    text = ast.unparse(call.func)
    if any(isinstance(arg, ast.Starred) for arg in call.args):
        raise CannotFix(f"`{text}` is called with a starred argument")
    if method == "fill_diagonal":
        made = build.call(spell("jax.numpy.fill_diagonal"), base, *given)
        inplace = ast.keyword("inplace", build.const(False))
        made.keywords = [*call.keywords, inplace]
        return made
    match call.keywords:
        case []:
            pass
        case [ast.keyword(arg="where", value=mask)] if len(given) == 1:
            given = [mask, *given]
        case _:
            raise CannotFix(f"`{text}` is called with options")
    match method, given:
        case "set", [value]:
            index: ast.expr = build.const(...)
        case _ if (
            fn.library(call) == "numpy.put" and arrays.rank(arrays.value(fn, base)) != 1
        ):
            raise CannotFix(f"`{text}` counts through all axes of the array")
        case _, [index, value]:
            index = _index(fn, index, value, spell)
        case _:
            raise CannotFix(f"`{text}` is called in a way of its own")
    at = ast.Subscript(ast.Attribute(base, "at", ast.Load()), index, ast.Load())
    return build.method(at, method, value)


def _result(fn: Function, one: StoreCall, spell: Callable[[str], str]) -> ast.expr:
    """The array after `np.add(a, b, out=base)`: it keeps its shape and dtype."""
    text = ast.unparse(one.call.func)
    keywords = [k for k in one.call.keywords if k.value is not one.base]
    name = fn.library(one.call) or ""
    target = jax_api.numpy_to_jnp(name, [k.arg or "**" for k in keywords])
    if target is None or not all(k.arg for k in keywords):
        raise CannotFix(f"`{text}` with these options has no counterpart in jax.numpy")
    for arg in one.given:
        if isinstance(arg, ast.Starred) or isinstance(arrays.value(fn, arg), Seq):
            raise CannotFix(f"`{ast.unparse(arg)}` is no array, which jax.numpy needs")
    made = build.call(spell(target), *one.given)
    made.keywords = keywords
    old, new = arrays.value(fn, one.base), arrays.value(fn, one.call)
    if isinstance(old, Array) and isinstance(new, Array):
        known = None not in (old.dtype, old.shape)
        if known and (old.dtype, old.shape) == (new.dtype, new.shape):
            return made
    whole = ast.Attribute(one.base, "at", ast.Load())
    at = ast.Subscript(whole, build.const(...), ast.Load())
    return build.method(at, "set", made)


def _index(
    fn: Function, index: ast.expr, value: ast.expr, spell: Callable[[str], str]
) -> ast.expr:
    """What `np.add.at` is given as indices, as `x.at[...]` takes it."""
    parts = index.elts if isinstance(index, ast.Tuple) else [index]
    is_many = not arrays.is_scalar(arrays.value(fn, value))
    if is_many and any(masks.mask_of(fn, part) is not None for part in parts):
        raise CannotFix("several elements are stored by a mask")
    made = [_array(fn, part, spell) for part in parts]
    return ast.Tuple(made, ast.Load()) if isinstance(index, ast.Tuple) else made[0]


def _array(fn: Function, part: ast.expr, spell: Callable[[str], str]) -> ast.expr:
    known = arrays.value(fn, part)
    if isinstance(known, Seq) and known.kind == "list":
        return build.call(spell("jax.numpy.array"), part)
    return part
