"""`lax.cond` with its branches: functions, operands and results."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, TypeGuard

from jaxfix._analysis import build
from jaxfix._analysis.closures import moving_obstacle
from jaxfix._analysis.effects import Cost
from jaxfix._analysis.facts import Function
from jaxfix._analysis.finding import CannotFix
from jaxfix._analysis.flow import uses_before_definite_write
from jaxfix._analysis.scopes import names, reads, writes
from jaxfix._analysis.values import (
    Array,
    Value,
    holds_tracer,
)

from .agree import Typed, agree, collapse
from .assignments import inline_last
from .choices import check_objects, scalar_test
from .context import Context, NameSet
from .merged import merged
from .tidy import folded, names_of

if TYPE_CHECKING:
    from .functional import Functional


def cond_call(
    f: Functional,
    test: ast.expr,
    test_value: Value | None,
    operands: Sequence[str],
    body: list[ast.stmt],
    orelse: list[ast.stmt],
    updated: Sequence[str] = (),
) -> tuple[ast.expr, list[ast.stmt]]:
    """`lax.cond(test, f, g, *operands)` and the local functions that it needs."""
    functions: list[ast.stmt] = []
    branches: list[ast.expr] = []
    bases = branch_names(body, orelse, updated)
    for base, block in zip(bases, (body, orelse), strict=True):
        if (why := moving_obstacle(f.fn, block)) is not None:
            raise CannotFix(why)
        params = branch_parameters(operands, block)
        if len(block) == 1 and isinstance(block[0], ast.Return):
            value = block[0].value or build.const(None)
            match value:
                case ast.Call(func=ast.Name() as called, args=[], keywords=[]) if (
                    not params and build.is_new(value)
                ):
                    branches.append(called)
                    continue
            if not params and is_call_of_name(value):
                branches.append(value.func)
                continue
            if len(operands) > 2 and names_of(value) == list(operands):
                branches.append(unchanged())
                continue
            if len(params) > 1 and not set(operands) & set(names(block)):
                params = ["*_"]
            branches.append(lambda_of(params, value))
            continue
        name = f.fresh(base)
        made = build.function(name, params, block)
        functions.append(made)
        branches.append(build.load(name))
    call = build.branching(
        f.spell("jax.lax.cond"),
        scalar_test(f.spell, test, test_value),
        *branches,
        *(build.load(n) for n in operands),
    )
    f.new(call, None, Cost(cheap=False))
    return call, functions


def effect_only(
    f: Functional,
    test: ast.expr,
    test_value: Value | None,
    body: list[ast.stmt],
    orelse: list[ast.stmt],
    bound: NameSet,
) -> list[ast.stmt]:
    made, functions = cond_call(
        f,
        test,
        test_value,
        parameters(body, orelse, bound),
        body or [build.ret(build.const(None))],
        orelse or [build.ret(build.const(None))],
    )
    return [*functions, ast.Expr(made)]


def cond_statements(
    f: Functional,
    test: ast.expr,
    test_value: Value | None,
    body: list[ast.stmt],
    orelse: list[ast.stmt],
    outputs: Sequence[str],
    first: Context,
    second: Context,
    context: Context,
) -> list[ast.stmt]:
    outputs, before = ordered(f, outputs), context.copy()
    results: list[tuple[ast.expr, ast.expr]] = []
    mine, other = frozenset(writes(body)), frozenset(writes(orelse))
    body, values_a = inline_last(f.fn, body, outputs)
    orelse, values_b = inline_last(f.fn, orelse, outputs)
    rebound_a, rebound_b = frozenset(writes(body)), frozenset(writes(orelse))
    for name in outputs:
        at_a = values_a.get(name, build.load(name))
        at_b = values_b.get(name, build.load(name))
        a = Typed(at_a, first.types.get(name), mine, rebound_a)
        b = Typed(at_b, second.types.get(name), other, rebound_b)
        check_objects(f.fn, f"`{name}`", a, b)
        results.append(agree(f.spell, f"`{name}`", a, b))
        set_merged(f, name, first, second, context)
    body = [*body, build.ret(build.tuple_of([x for x, _ in results]))]
    orelse = [*orelse, build.ret(build.tuple_of([y for _, y in results]))]
    body, orelse = folded(f.fn, body), folded(f.fn, orelse)
    operands = operand_names(f, body, orelse, outputs, before)
    updated = [n for n in outputs if n in before.bound]
    made, functions = cond_call(f, test, test_value, operands, body, orelse, updated)
    return [*functions, build.choice(list(outputs), made)]


def set_merged(
    f: Functional, name: str, first: Context, second: Context, context: Context
) -> None:
    a, b = collapse(first.types.get(name)), collapse(second.types.get(name))
    context.bound |= {name}
    context.types.pop(name, None)
    if a is not None and b is not None:
        found = a if a == b else merged(a, b)
        if found is not None:
            if isinstance(found, Array):
                found = replace(found, traced=True)
            context.types[name] = found


def ordered(f: Functional, outputs: Sequence[str]) -> list[str]:
    """In a loop, in the order of its carry."""
    places = {name: place for place, name in enumerate(f.carried)}
    return sorted(outputs, key=lambda name: places.get(name, len(places)))


def operand_names(
    f: Functional,
    body: Sequence[ast.stmt],
    orelse: Sequence[ast.stmt],
    outputs: Sequence[str],
    context: Context,
) -> list[str]:
    """What the branches are given: none if neither rebinds what it reads.

    Else all outputs that they read, in the order of the outputs, and not some of
    them from outside. What may be known while tracing does come from outside.
    """
    needed = parameters(body, orelse, context.bound)
    if not needed:
        return []
    read = {*reads(body), *reads(orelse)} & context.bound

    def is_operand(name: str) -> bool:
        value = context.types.get(name)
        is_traced = value is not None and holds_tracer(value) is not None
        return name in needed or (name in read and is_traced)

    found = [n for n in outputs if is_operand(n)]
    return [*found, *(n for n in needed if n not in found)]


def parameters(
    body: Sequence[ast.stmt], orelse: Sequence[ast.stmt], bound: NameSet
) -> list[str]:
    """Names that a branch reads and also assigns: they must be operands."""
    wanted = []
    for block in (body, orelse):
        assigned = set(writes(block))
        wanted += [n for n in uses_before_definite_write(block) if n in assigned]
    ordered = [n for n in names([*body, *orelse]) if n in wanted]
    missing = [n for n in ordered if n not in bound]
    if missing:
        raise CannotFix(f"`{missing[0]}` may not be bound yet")
    return ordered


def branch_names(
    body: Sequence[ast.stmt], orelse: Sequence[ast.stmt], updated: Sequence[str]
) -> tuple[str, str]:
    """Names for the functions of branches: what the only one of them updates."""
    alone = (len(body) == 1) != (len(orelse) == 1)
    if alone and len(updated) == 1 and not updated[0].startswith("_"):
        return f"update_{updated[0]}", f"update_{updated[0]}"
    return "true_branch", "false_branch"


def branch_parameters(operands: Sequence[str], block: Sequence[ast.stmt]) -> list[str]:
    """The operands as parameters: `_` for one that is not read; several keep names."""
    used = set(names(block))
    found = [n if n in used else "_" for n in operands]
    return found if found.count("_") < 2 else list(operands)


def unchanged() -> ast.Lambda:
    """`lambda *args: args`, the branch that gives back what it is given."""
    made = build.thunk(build.load("args"))
    made.args.vararg = ast.arg("args")
    return made


def lambda_of(params: Sequence[str], value: ast.expr) -> ast.Lambda:
    if params == ["*_"]:
        made = build.thunk(value)
        made.args.vararg = ast.arg("_")
        return made
    return build.thunk(value, params)


def is_call_of_name(node: ast.expr) -> TypeGuard[ast.Call]:
    """`rest()`: a function of ours, which can be handed over as it is."""
    return (
        isinstance(node, ast.Call)
        and build.is_new(node)
        and isinstance(node.func, ast.Name)
        and not node.args
        and not node.keywords
    )


def has_effects(fn: Function, block: Sequence[ast.stmt]) -> bool:
    """Does the block do anything besides binding names?"""
    return any(isinstance(n, ast.Expr) for s in block for n in ast.walk(s))
