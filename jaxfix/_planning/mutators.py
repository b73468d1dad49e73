"""Functions that store into an array argument, whose callers go on with the array."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from jaxfix._analysis import arrays
from jaxfix._analysis.call_sites import Site, Unclear, argument, call_sites, callers
from jaxfix._analysis.definitions import in_traced_region, statement_of
from jaxfix._analysis.facts import Function
from jaxfix._analysis.finding import CannotFix
from jaxfix._analysis.objects import TransformedValue
from jaxfix._analysis.scopes import parameter_names
from jaxfix._analysis.values import Const, alternatives

from . import aliases, stores
from .views import viewed


@dataclass(frozen=True, slots=True)
class Rebinding:
    """A call statement `f(x)` that becomes `x = f(x)`.

    `buffers` are the calls of NumPy that make such an array in the caller. `is_taken`:
    the caller takes what the call returns, so that they alone change.
    """

    caller: Function
    stmt: ast.stmt
    names: tuple[ast.expr, ...]
    buffers: tuple[ast.Call, ...] = ()
    is_taken: bool = False


@dataclass(frozen=True, slots=True)
class Mutator:
    """A function that has to return the parameters `names`, and where it is called."""

    names: tuple[str, ...]
    rebindings: tuple[Rebinding, ...]


def mutator(fn: Function) -> Mutator | None:
    """What must be returned and bound anew, if callers see the stores of a function.

    Raises:
      CannotFix: not all that depends on the stores can be changed.
    """
    if isinstance(fn.node, ast.Module | ast.Lambda):
        return None
    names = stored_parameters(fn)
    if not names:
        return None
    rebindings: list[Rebinding] = []
    for site in call_sites(fn.facts, fn.node):
        if not isinstance(site.callee, TransformedValue):
            rebindings += _at_site(fn, site, names)
    if not rebindings:
        return None
    if not all(one.is_taken for one in rebindings):
        _check_body(fn)
    return Mutator(names, tuple(rebindings))


def stored_parameters(fn: Function) -> tuple[str, ...]:
    assert not isinstance(fn.node, ast.Module), "a module has no parameters"
    found: set[str] = set()
    for stmt in stores.walk_stores(fn):
        for target in stores.array_targets(fn, stmt):
            base: ast.expr = target
            while isinstance(base, ast.Subscript):
                base = base.value
            if isinstance(base, ast.Name):
                found.add(base.id)
    return tuple(name for name in parameter_names(fn.node) if name in found)


def _at_site(fn: Function, site: Site, names: tuple[str, ...]) -> list[Rebinding]:
    """How the caller goes on with the arrays; nothing if it does not."""
    if site.node is None:
        return []
    owners = callers(fn.facts, site)
    found: list[Rebinding] = []
    for caller in owners:
        stmt = statement_of(caller, site.node)
        if stmt is None:
            continue
        given: list[ast.expr] = []
        for name in names:
            try:
                arg = argument(site, name)
            except Unclear as error:
                raise CannotFix(
                    f"it stores into its argument `{name}`: {error}"
                ) from None
            if arg is not None:
                given.append(arg)
        for arg in given:
            _check_views(caller, stmt, arg)
        used = [a for a in given if _is_used_after(caller, stmt, a)]
        if not used or _takes_results(stmt, used):
            if buffers := _buffers(caller, given):
                taken = Rebinding(caller, stmt, tuple(given), buffers, is_taken=True)
                found.append(taken)
            continue
        found.append(_rebinding(caller, stmt, site.node, given, len(names)))
    return found


def _check_views(caller: Function, stmt: ast.stmt, arg: ast.expr) -> None:
    """No other name of an array that the call stores into is read afterwards."""
    if isinstance(arg, ast.Name):
        stores.check_aliases(caller, stmt, arg.id)
        return
    for name in sorted(viewed(caller, arg)):
        if aliases.read_after(caller, stmt, name):
            text = ast.unparse(arg)
            raise CannotFix(f"`{text}` is a view of `{name}`, which is read afterwards")


def _is_used_after(caller: Function, stmt: ast.stmt, arg: ast.expr) -> bool:
    if isinstance(arg, ast.Name):
        return aliases.read_after(caller, stmt, arg.id)
    return isinstance(arg, ast.Attribute | ast.Subscript)


def _takes_results(stmt: ast.stmt, used: list[ast.expr]) -> bool:
    """Does the caller bind the names of the arrays anew, `x, n = f(x)`?"""
    if not isinstance(stmt, ast.Assign):
        return False
    bound = {t.id for t in stores.targets_of(stmt) if isinstance(t, ast.Name)}
    return all(isinstance(arg, ast.Name) and arg.id in bound for arg in used)


def _rebinding(
    caller: Function, stmt: ast.stmt, call: ast.Call, given: list[ast.expr], count: int
) -> Rebinding:
    if not isinstance(stmt, ast.Expr) or stmt.value is not call or len(given) != count:
        text = ast.unparse(call.func)
        raise CannotFix(f"the array is read after `{text}` stored into it")
    own = stores.own_names(caller)
    buffers = _buffers(caller, given)
    for arg in given:
        is_own = isinstance(arg, ast.Name) and (
            arg.id in own or isinstance(caller.node, ast.Module)
        )
        if not is_own:
            raise CannotFix(f"`{ast.unparse(arg)}` cannot be bound anew by the caller")
        assert isinstance(arg, ast.Name), "checked above"
        _check_chain(caller, arg.id)
    if in_traced_region(caller, stmt):
        raise CannotFix("it is called in a traced branch or loop")
    return Rebinding(caller, stmt, tuple(given), buffers)


def _buffers(caller: Function, given: list[ast.expr]) -> tuple[ast.Call, ...]:
    """The calls of NumPy that make the arrays, which have to be arrays of JAX.

    Raises:
      CannotFix: an array of NumPy comes from elsewhere.
    """
    found: list[ast.Call] = []
    for arg in given:
        made = None
        if caller.under and isinstance(arg, ast.Name):
            made = stores.buffer(caller, arg)
        elif caller.under and isinstance(arg, ast.Call):
            made = arg if stores.is_convertible(caller, arg) else None
        known = alternatives(arrays.value(caller, arg) or Const(None))
        is_host = any(arrays.is_host_array(option) for option in known)
        if made is None and is_host:
            text = ast.unparse(arg)
            raise CannotFix(f"`{text}` is NumPy's array; make it one of `jax.numpy`")
        if made is not None and (is_host or made is not arg):
            found.append(made)
    return tuple(found)


def _check_chain(caller: Function, name: str) -> None:
    """The caller's own caller must not wait for the store."""
    if isinstance(caller.node, ast.Module) or name not in parameter_names(caller.node):
        return
    for site in call_sites(caller.facts, caller.node):
        if isinstance(site.callee, TransformedValue) or site.node is None:
            continue
        for outer in callers(caller.facts, site):
            if isinstance(statement_of(outer, site.node), ast.Expr):
                raise CannotFix("the array is passed through several functions")


def returned_names(fn: Function) -> tuple[str, ...] | None:
    """The names that every `return` gives, `()` if it returns nothing."""
    found: set[tuple[str, ...]] = set()
    for node in fn.walk():
        match node:
            case ast.Return(value=None | ast.Constant(value=None)):
                found.add(())
            case ast.Return(value=ast.Name(id=name)):
                found.add((name,))
            case ast.Return() | ast.Yield() | ast.YieldFrom():
                return None
    return found.pop() if len(found) == 1 else (() if not found else None)


def _check_body(fn: Function) -> None:
    names = stored_parameters(fn)
    returned = returned_names(fn)
    if returned not in ((), names):
        raise CannotFix("it stores into its argument and returns something else")
    for node in fn.walk():
        if isinstance(node, ast.stmt) and in_traced_region(fn, node):
            raise CannotFix("it stores into its argument, and it has a traced branch")
    for known in (
        fn.host_value(arg)
        for arg in ast.walk(fn.node)
        if isinstance(arg, ast.arg) and arg.arg in names
    ):
        if known is not None:
            raise CannotFix("it is also called outside of a transform")
