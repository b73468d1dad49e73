"""How static arguments are used: whether they need to be static, whether they vary."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from .call_sites import (
    Parameter,
    Site,
    Unclear,
    argument,
    call_sites,
    callers,
    given_arguments,
)
from .declarations import DECLARING, calls_root, reached
from .demands import demand_of
from .objects import (
    BoundValue,
    ClassValue,
    InstanceValue,
    PartialValue,
    TransformedValue,
)
from .origins import is_parameter, mentioned, owner_of
from .scopes import writes
from .transformed import static_names, underlying
from .values import (
    Array,
    Const,
    Lib,
    Unknown,
    Value,
    alternatives,
    holds_tracer,
    type_name,
)

if TYPE_CHECKING:
    from .facts import Facts, Function

LOOPS = (ast.For, ast.While, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
# A loop of so few rounds, each with its own program, is the writer's choice.
FEW = 8
LARGE = 2**16


def used_as_static(facts: Facts) -> frozenset[Parameter]:
    """Parameters whose values some code needs to know while it is traced.

    Too many rather than too few: what is passed to code that is not seen counts.
    """
    found: set[Parameter] = set()
    for module in facts.project.in_scope():
        for fn in facts.functions(module):
            if fn.under:
                for node in fn.walk():
                    for part in _known_parts(fn, node):
                        found |= mentioned(fn, part)
    return frozenset(reached(facts, found))


def _known_parts(fn: Function, node: ast.AST) -> Iterator[ast.expr]:
    demand = demand_of(fn, node)
    if demand is not None:
        yield from (part for part in demand.parts if not _is_tracer(fn, part))
    match node:
        case ast.BinOp(op=ast.Pow(), right=exponent):
            if not is_real(value_of(fn, exponent)):
                yield exponent
        case ast.BinOp(left=left, op=ast.LShift(), right=count):
            if not _is_tracer(fn, left) and not _is_tracer(fn, count):
                yield count
        case ast.BinOp(left=left, op=ast.Add() | ast.Sub() | ast.Mult(), right=right):
            for part, other in ((left, right), (right, left)):
                if _is_large(fn, other) and not _is_tracer(fn, part):
                    yield part
        case ast.FormattedValue(value=inner):
            yield inner
        case ast.keyword(arg=None, value=inner) | ast.Starred(value=inner):
            yield inner
        case ast.Call():
            yield from _known_arguments(fn, node)


def _is_large(fn: Function, node: ast.expr) -> bool:
    """Is it an integer with which 32 bits are soon too few?"""
    match value_of(fn, node):
        case Const(value=int(number)):
            return abs(number) > LARGE
        case _:
            return False


def _is_tracer(fn: Function, node: ast.expr) -> bool:
    value = fn.value(node)
    return value is not None and holds_tracer(value) is not None


def _known_arguments(fn: Function, node: ast.Call) -> Iterator[ast.expr]:
    given = [*node.args, *(k.value for k in node.keywords)]
    if isinstance(node.func, ast.Name):
        yield node.func
    callees = fn.callees(node)
    if not callees:
        yield from given
    for callee in callees:
        for option in alternatives(callee):
            match option:
                case Unknown():
                    yield from given
                case Lib(name=name) if not name.startswith("jax."):
                    yield from given
                case TransformedValue():
                    yield from _static_arguments(fn, node, option)


def _static_arguments(
    fn: Function, node: ast.Call, callee: TransformedValue
) -> Iterator[ast.expr]:
    record = fn.call(node)
    for name in static_names(callee):
        if record is not None:
            try:
                given = argument(Site(record, callee), name)
            except Unclear:
                continue
            if given is not None:
                yield given


def roots_at(facts: Facts) -> dict[int, list[TransformedValue]]:
    """The jits, by the identity of the call or decorator that makes them."""
    found: dict[int, list[TransformedValue]] = {}
    for root in facts.interpreter.transformed.values():
        if root.transform in DECLARING and underlying(root.function) is not None:
            found.setdefault(id(root.node), []).append(root)
    return found


def static_arguments(
    facts: Facts, root: TransformedValue, name: str
) -> list[tuple[Function, Site, ast.expr]]:
    """What the calls of a jitted function give a parameter: (caller, call, what)."""
    fn = underlying(root.function)
    found: list[tuple[Function, Site, ast.expr]] = []
    if fn is None:
        return found
    for site, given in given_arguments(facts, fn.node, name):
        if calls_root(site, root):
            found += [(caller, site, given) for caller in callers(facts, site)]
    return found


def value_of(fn: Function, node: ast.expr) -> Value | None:
    """What an expression may be, under a transform or in plain Python."""
    return fn.value(node) or fn.host_value(node)


def is_real(value: Value | None) -> bool:
    """Is it a real number? A power of one is no shorter if it is known."""
    return value is not None and all(
        option.dtype is not None and option.dtype.kind == "f"
        if isinstance(option, Array)
        else type_name(option) == "float"
        for option in alternatives(value)
    )


# --- loops


def rounds(fn: Function, node: ast.expr, *, depth: int = 2) -> int | None:
    """How many values an expression takes in the loops around it.

    1 if it does not vary; None if there is no telling, but they are many.
    """
    count: int | None = 1
    for loop in loops_around(fn, node):
        if names_in(fn, node) & counted_by(fn, loop):
            turns = turns_of(fn, loop)
            count = None if turns is None or count is None else count * turns
    if count == 1 and depth and isinstance(node, ast.Name):
        owner = owner_of(fn, node.id)
        if owner is not None and is_parameter(owner, node.id):
            return _rounds_of_callers(owner, node.id, depth)
    return count


def _rounds_of_callers(fn: Function, name: str, depth: int) -> int | None:
    assert not isinstance(fn.node, ast.Module), "a module has no parameters"
    most = 1
    for site in call_sites(fn.facts, fn.node):
        try:
            given = argument(site, name)
        except Unclear:
            continue
        for caller in callers(fn.facts, site):
            if given is not None and caller is not fn:
                turns = rounds(caller, given, depth=depth - 1)
                if turns is None:
                    return None
                most = max(most, turns)
    return most


def loops_around(fn: Function, node: ast.AST) -> list[ast.AST]:
    """The loops and comprehensions of the function that run a node repeatedly."""
    found: list[ast.AST] = []
    inner = node
    for outer in fn.module.ancestors(node):
        if outer is fn.node:
            break
        if isinstance(outer, ast.For) and inner is not outer.iter:
            if inner not in outer.orelse:
                found.append(outer)
        elif isinstance(outer, LOOPS) and not isinstance(outer, ast.For):
            found.append(outer)
        inner = outer
    return found


def names_in(fn: Function, node: ast.AST) -> set[str]:
    """The names that an expression reads, and those that these are computed from."""
    found: set[str] = set()
    todo = [n.id for n in ast.walk(node) if isinstance(n, ast.Name)]
    while todo:
        name = todo.pop()
        if name not in found:
            found.add(name)
            for source in fn.definitions.get(name) or ():
                todo += [n.id for n in ast.walk(source) if isinstance(n, ast.Name)]
    return found


def counted_by(fn: Function, loop: ast.AST) -> set[str]:
    """The numbers that a loop counts: of a `range`, of `enumerate`, `n += 1`."""
    match loop:
        case ast.For(target=target, iter=values, body=body):
            return _counters(fn, target, values) | _counted(body)
        case ast.While(body=body):
            return _counted(body)
        case ast.ListComp() | ast.SetComp() | ast.GeneratorExp() | ast.DictComp():
            return {
                name
                for generator in loop.generators
                for name in _counters(fn, generator.target, generator.iter)
            }
        case _:
            return set()


def _counters(fn: Function, target: ast.expr, values: ast.expr) -> set[str]:
    name = fn.library(values)
    if name == "enumerate" and isinstance(target, ast.Tuple):
        target = target.elts[0]
    elif name == "zip" and isinstance(target, ast.Tuple):
        assert isinstance(values, ast.Call), "a call was found"
        pairs = zip(target.elts, values.args, strict=False)
        return {n for part, of in pairs for n in _counters(fn, part, of)}
    elif name not in ("range", "reversed") and not isinstance(
        values, ast.Tuple | ast.List
    ):
        return set()
    return {n.id for n in ast.walk(target) if isinstance(n, ast.Name)}


def bound_by(loop: ast.AST) -> set[str]:
    """The names that change from one round of a loop to the next."""
    match loop:
        case ast.For(target=target):
            counters = {n.id for n in ast.walk(target) if isinstance(n, ast.Name)}
            return counters | _counted(loop.body)
        case ast.While(body=body):
            return _counted(body)
        case ast.ListComp() | ast.SetComp() | ast.GeneratorExp() | ast.DictComp():
            return set(writes([g.target for g in loop.generators]))
        case _:
            return set()


def _counted(body: list[ast.stmt]) -> set[str]:
    """Names that the statements of a loop compute from themselves: `n += 1`."""
    found: set[str] = set()
    for stmt in body:
        for node in ast.walk(stmt):
            match node:
                case ast.AugAssign(target=ast.Name(id=name)):
                    found.add(name)
                case ast.Assign(targets=[ast.Name(id=name)], value=value):
                    if any(
                        isinstance(n, ast.Name) and n.id == name
                        for n in ast.walk(value)
                    ):
                        found.add(name)
    return found


def turns_of(fn: Function, loop: ast.AST) -> int | None:
    """How often a loop runs; None if that is not known, but it counts."""
    match loop:
        case ast.For(iter=values):
            return _length(fn, values)
        case ast.ListComp() | ast.SetComp() | ast.GeneratorExp() | ast.DictComp():
            total = 1
            for generator in loop.generators:
                turns = _length(fn, generator.iter)
                if turns is None:
                    return None
                total *= turns
            return total
        case _:
            return None


def _length(fn: Function, values: ast.expr) -> int | None:
    """The number of items; None for a long or unknown `range`, 1 if it is no count."""
    if isinstance(values, ast.Tuple | ast.List):
        return len(values.elts)
    if not isinstance(values, ast.Call):
        return 1
    name = fn.library(values)
    if name in ("enumerate", "reversed", "zip"):
        lengths = [_length(fn, a) for a in values.args]
        return None if name == "enumerate" else (lengths[0] if lengths else 1)
    if name != "range":
        return 1
    numbers = []
    for arg in values.args:
        value = value_of(fn, arg)
        if not isinstance(value, Const) or not isinstance(value.value, int):
            return None
        numbers.append(value.value)
    return len(range(*numbers)) if numbers and 0 not in numbers[2:] else 1


def is_number(fn: Function, node: ast.expr) -> bool:
    """Is an expression a Python int or float, as far as is known?"""
    if isinstance(node, ast.BinOp):
        return is_number(fn, node.left) and is_number(fn, node.right)
    value = value_of(fn, node)
    return value is not None and all(
        type_name(o) in ("int", "float") for o in alternatives(value)
    )


def static_parameters(root: TransformedValue) -> list[tuple[str, Parameter]]:
    """The parameters that a jit declares static, in the order of their names."""
    fn = underlying(root.function)
    if fn is None:
        return []
    return [(name, Parameter(fn.node, name)) for name in sorted(static_names(root))]


def varying_argument(
    facts: Facts, root: TransformedValue, name: str, *, at_least: int
) -> tuple[Function, ast.expr, int | None] | None:
    """A number that a call in a loop gives for `name`, and how many values it takes."""
    for caller, _, given in static_arguments(facts, root, name):
        if is_number(caller, given):
            count = rounds(caller, given)
            if count is None or count >= at_least:
                return caller, given, count
    return None


def roots_called(fn: Function, node: ast.Call) -> list[TransformedValue]:
    """The jitted functions that a call may reach."""
    found: list[TransformedValue] = []
    for callee in fn.callees(node):
        for option in alternatives(callee):
            while isinstance(option, BoundValue | PartialValue):
                option = option.function
            if isinstance(option, TransformedValue) and option.transform in DECLARING:
                found.append(option)
    return found


def given_at(
    fn: Function, node: ast.Call, root: TransformedValue, name: str
) -> ast.expr | None:
    """What a call gives for a parameter of a jitted function."""
    for caller, site, given in static_arguments(fn.facts, root, name):
        if site.node is node and caller is fn:
            return given
    return None


def fresh_instance(fn: Function, given: ast.expr) -> ClassValue | None:
    """The class of an object made at each call in a loop, if it has no `__eq__`."""
    value = value_of(fn, given)
    if not isinstance(value, InstanceValue) or not isinstance(given, ast.Call):
        return None
    cls = value.cls
    if cls.kind != "plain" or cls.lookup("__eq__") is not None or cls.bases:
        return None
    makes = any(
        isinstance(n, ast.Call)
        and any(isinstance(c, ClassValue) and c == cls for c in fn.callees(n))
        for n in ast.walk(given)
    )
    return cls if makes and loops_around(fn, given) else None
