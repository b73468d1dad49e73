"""Functions that are compiled where they are called: one program for each call around.

A function with `@jax.jit` inside of another one is made anew whenever that runs, and
programs are kept by the function's identity.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING

from . import fresh
from .call_sites import call_sites, callers
from .finding import CannotFix
from .origins import owner_of
from .scopes import free_names, local_names, reads
from .static_uses import loops_around
from .transform_names import GRAD

if TYPE_CHECKING:
    from .facts import Function


@dataclass(frozen=True, slots=True)
class LocalJit:
    """The function `inner`, which is jitted and only called, and its calls.

    `uses`: where it is named in them. `captured`: the variables of functions around it
    that it reads. `jit`: the call that jits it, None if that is a decorator;
    `gradient`: the `jax.grad(inner)` that this call jits in its place, if it does;
    `variable`: what the result is bound to.
    """

    inner: ast.FunctionDef
    calls: tuple[ast.Call, ...]
    uses: tuple[ast.expr, ...]
    captured: tuple[str, ...]
    jit: ast.Call | None = None
    gradient: ast.Call | None = None
    variable: ast.Assign | None = None


def local_jit_at(fn: Function, decorator: ast.expr) -> LocalJit | None:
    """The function that a decorator or a call compiles again and again, if any."""
    inner = fn.module.parent(decorator)
    if not isinstance(fn.node, ast.FunctionDef) or id(decorator) not in (
        fn.facts.roots_at
    ):
        return None
    if fn.node.decorator_list or (fn.under and not fn.on_host):
        return None
    jit, gradient, variable = None, None, None
    calls: tuple[ast.Call, ...] = ()
    uses: tuple[ast.expr, ...] = ()
    if isinstance(inner, ast.FunctionDef) and inner.decorator_list == [decorator]:
        calls, uses = calls_of(fn, inner)
    elif isinstance(decorator, ast.Call):
        jit, (inner, gradient) = decorator, local_function(fn, decorator)
        calls, variable = fresh.uses_of(fn, jit) or ((), None)
        uses = tuple(call.func for call in calls)
    if not isinstance(inner, ast.FunctionDef) or not calls:
        return None
    # `jax.grad` gives a new function each time, of an old one too.
    if not (repeats(fn, gradient or inner) or runs_repeatedly(fn)):
        return None
    captured = tuple(n for n in free_names(inner) if owner_of(fn, n) is not None)
    if any(fresh.is_callable(fn, name) for name in captured):
        return None
    if gradient is not None and any(fresh.local_function(fn, n) for n in captured):
        return None  # it stays, and the gradient is compiled before the loop
    return LocalJit(inner, calls, uses, captured, jit, gradient, variable)


def local_function(
    fn: Function, jit: ast.Call
) -> tuple[ast.FunctionDef | None, ast.Call | None]:
    """The `f` of `jax.jit(f)`, a function in `fn` that is used for nothing else.

    Of `jax.jit(jax.grad(f))` also the call in the midst.
    """
    if len(jit.args) != 1 or jit.keywords:
        return None, None
    gradient: ast.Call | None = None
    match jit.args[0]:
        case ast.Name() as function:
            pass
        case ast.Call(args=[ast.Name() as function]):
            gradient = differentiated(fn, function)
            if gradient is None:
                return None, None
        case _:
            return None, None
    name = function.id
    named = [n for n in ast.walk(fn.node) if isinstance(n, ast.Name) and n.id == name]
    made = [
        n
        for n in ast.walk(fn.node)
        if isinstance(n, ast.FunctionDef | ast.ClassDef) and n.name == name
    ]
    match named, made:
        case [_], [ast.FunctionDef(decorator_list=[]) as inner]:
            return inner, gradient
        case _:
            return None, None


def calls_of(
    fn: Function, inner: ast.FunctionDef
) -> tuple[tuple[ast.Call, ...], tuple[ast.expr, ...]]:
    """The calls of a local function, and where it is named; none if it is used in
    another way too."""
    calls: list[ast.Call] = []
    uses: list[ast.expr] = []
    for use in ast.walk(fn.node):
        if isinstance(use, ast.Name) and use.id == inner.name:
            found = _calls_through(fn, use)
            if not found:
                return (), ()
            calls += found
            uses.append(use)
    return tuple(calls), tuple(uses)


def _calls_through(fn: Function, function: ast.Name) -> list[ast.Call]:
    """`f(x)`, `jax.grad(f)(x)`, or the calls of `g` in `g = jax.grad(f)`."""
    called = differentiated(fn, function) or function
    match fn.module.parent(called):
        case ast.Call(func=func) as call if func is called:
            return [call]
        case ast.Assign(targets=[ast.Name(id=name)]) if called is not function:
            named = [
                n for n in ast.walk(fn.node) if isinstance(n, ast.Name) and n.id == name
            ]
            reads = [n for n in named if isinstance(n.ctx, ast.Load)]
            parents = [(n, fn.module.parent(n)) for n in reads]
            calls = [
                parent
                for n, parent in parents
                if isinstance(parent, ast.Call) and parent.func is n
            ]
            is_only_called = len(calls) == len(reads) == len(named) - 1
            return calls if is_only_called else []
        case _:
            return []


def differentiated(fn: Function, function: ast.Name) -> ast.Call | None:
    """The `jax.grad(f)` around a function: it takes the arguments of `f`, and more."""
    call = fn.module.parent(function)
    if not isinstance(call, ast.Call) or call.args[:1] != [function]:
        return None
    numbers = [
        n for k in call.keywords if k.arg == "argnums" for n in ast.walk(k.value)
    ]
    counts_back = any(isinstance(n, ast.UnaryOp) for n in numbers)
    is_clear = len(call.args) == 1 and all(k.arg for k in call.keywords)
    if fn.library(call) not in GRAD or counts_back or not is_clear:
        return None
    return call


def runs_repeatedly(fn: Function, depth: int = 3) -> bool:
    """Is a function called in a loop, itself or one of its callers?"""
    for site in call_sites(fn.facts, fn.node):  # type: ignore[arg-type]
        for caller in callers(fn.facts, site):
            if caller is fn or (caller.under and not caller.on_host):
                continue
            if repeats(caller, site.call.node):
                return True
            if isinstance(caller.node, ast.Module):
                continue
            if depth and runs_repeatedly(caller, depth - 1):
                return True
    return False


def repeats(fn: Function, node: ast.AST) -> bool:
    """Is the node in a loop? One over a few listed values is intended."""
    return any(not is_listed(loop) for loop in loops_around(fn, node))


def is_listed(loop: ast.AST) -> bool:
    match loop:
        case ast.For(iter=values):
            return isinstance(values, ast.Tuple | ast.List)
        case ast.ListComp() | ast.SetComp() | ast.GeneratorExp() | ast.DictComp():
            return all(
                isinstance(g.iter, ast.Tuple | ast.List) for g in loop.generators
            )
        case _:
            return False


def check(fn: Function, one: LocalJit) -> None:
    """Can the function stand in the module, with parameters for what it captures?

    Raises:
      CannotFix: it changes what it captures, or is made from local variables.
    """
    inner = one.inner
    outside = [
        *inner.args.defaults,
        *(d for d in inner.args.kw_defaults if d is not None),
        *inner.decorator_list,
        *(k.value for k in (one.gradient.keywords if one.gradient else ())),
    ]
    if inner.returns is not None:
        outside.append(inner.returns)
    outside += [a.annotation for a in all_arguments(inner) if a.annotation is not None]
    local = sorted({n for part in outside for n in reads(part) if owner_of(fn, n)})
    if local:
        raise CannotFix(f"its definition itself reads `{local[0]}`")
    if any(isinstance(n, ast.Nonlocal) for n in ast.walk(inner)):
        raise CannotFix("it changes variables of the function around it")
    if set(one.captured) & {*local_names(inner)}:
        raise CannotFix("it captures a variable of the name of its own")
    for capture in fn.facts.captures.all.values():
        if capture.function is inner:
            raise CannotFix(f"`{capture.text}` has to become an argument first")
    captured_after(fn, one)


def all_arguments(node: ast.FunctionDef) -> list[ast.arg]:
    spec = node.args
    rest = [a for a in (spec.vararg, spec.kwarg) if a is not None]
    return [*spec.posonlyargs, *spec.args, *spec.kwonlyargs, *rest]


def captured_after(fn: Function, one: LocalJit) -> None:
    """Every captured variable has its value where the function is called.

    Raises:
      CannotFix: a call stands in another function, which may hide the name.
    """
    for call in one.calls:
        for outer in fn.module.ancestors(call):
            if outer is fn.node:
                break
            if isinstance(outer, ast.Lambda | ast.FunctionDef) and (
                {*local_names(outer)} & {*one.captured}
            ):
                raise CannotFix("a call of it stands in another function")
