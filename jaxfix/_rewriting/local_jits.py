"""A function that is compiled where it is called moves to the module."""

from __future__ import annotations

import ast

from jaxfix._analysis import build
from jaxfix._analysis.dict_order import order_matters
from jaxfix._analysis.facts import Function
from jaxfix._analysis.finding import CannotFix
from jaxfix._analysis.local_jits import LocalJit, check
from jaxfix._analysis.objects import TransformedValue, is_data, is_setting
from jaxfix._analysis.static_uses import value_of

from .hoisting_jit import is_static_in, name_for, own_name, top_statement
from .rewrite import Rewriter
from .static_options import check_declaration, declare


def local_key(fn: Function, one: LocalJit) -> str:
    """Names the move of the function: see `Sites`."""
    return f"local {fn.path}:{one.inner.lineno}:{one.inner.col_offset}"


def check_local(fn: Function, one: LocalJit) -> None:
    """Can it move?

    Raises:
      CannotFix: what it captures cannot be an argument.
    """
    if not settings_of(fn, one):
        return
    if one.jit is not None:
        raise CannotFix("what it captures is needed while tracing")
    check_declaration(root_of(fn, one))


def root_of(fn: Function, one: LocalJit) -> TransformedValue:
    return fn.facts.roots_at[id(one.inner.decorator_list[0])][0]


def settings_of(fn: Function, one: LocalJit) -> tuple[str, ...]:
    """The captured variables whose values are needed while the function is traced.

    Raises:
      CannotFix: what it captures cannot be an argument.
    """
    check(fn, one)
    scope = fn.facts.function(one.inner) or fn
    settings = []
    for name in one.captured:
        reads = [
            node
            for node in ast.walk(one.inner)
            if isinstance(node, ast.Name) and node.id == name
        ]
        known = [v for node in reads if (v := value_of(scope, node)) is not None]
        is_number = bool(known) and all(is_data(value) for value in known)
        if any(order_matters(fn.facts, fn.module, node) for node in reads):
            raise CannotFix(
                f"`{name}` is a dict, and JAX sorts the keys of an argument"
            )
        if is_number and not is_static_in(fn, one.inner, name):
            continue
        if not known or not all(map(is_setting, known)):
            if is_number:
                raise CannotFix(f"the value of `{name}` is needed while tracing")
            raise CannotFix(f"`{name}` is not known to be a number or an array")
        settings.append(name)
    return tuple(settings)


def hoist_local(write: Rewriter, fn: Function, one: LocalJit) -> None:
    """The function goes before the one around it; its calls pass what it captured."""
    settings = settings_of(fn, one)
    writer = write.writer(fn.module)
    inner = one.inner
    defined = [
        name for stmt in ast.walk(fn.module.tree) for name in bound_by(stmt)
    ].count(inner.name)
    alone = defined == 1 and inner.name not in fn.module.globals
    name = inner.name if alone else writer.fresh(f"_{inner.name}", fn.module.tree)
    spec = inner.args
    by_keyword = bool(spec.vararg or spec.kwonlyargs or spec.kwarg or spec.defaults)

    jit = writer.expr(one.jit.func) if one.jit is not None else ""
    is_bare = one.variable is None or not writer.has_comment(one.variable)
    compiled = name
    if one.gradient is not None:
        compiled = own_name(fn, one.variable) or writer.fresh(
            name_for(one.gradient), fn.module.tree
        )

    if settings:
        declare(write, root_of(fn, one), add=settings)
    for captured in one.captured:
        writer.add_parameter(inner, captured, keyword_only=by_keyword)
    if is_bare and (jit or name != inner.name):
        for use in one.uses:
            writer.edit(use, compiled)
    for call in one.calls:
        named = by_keyword or bool(call.keywords)
        for captured in one.captured:
            writer.add_argument(call, f"{captured}={captured}" if named else captured)
    if is_bare and one.variable is not None:
        writer.remove(one.variable)
    elif one.jit is not None and one.variable is not None:
        writer.edit(one.jit, compiled)
    place = top_statement(fn, inner)
    if one.gradient is None:
        writer.move_before(place, inner, name, decorator=jit)
        return
    gradient = ast.Call(one.gradient.func, [build.load(name)], one.gradient.keywords)
    made = build.assign(compiled, build.call(jit, gradient))
    writer.move_before(place, inner, name)
    writer.insert_before(place, lambda: writer.statements([made]))


def bound_by(node: ast.AST) -> list[str]:
    """The names that a node itself binds."""
    match node:
        case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
            return [name]
        case ast.Name(id=name, ctx=ast.Store()) | ast.arg(arg=name):
            return [name]
        case _:
            return []
