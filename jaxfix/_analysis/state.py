"""Writes from traced code to what was there before the trace: they happen once.

Every trace has a number; scopes and instances remember the trace in which they were
made. A write reaches out of a trace if its object was made in another one. An object
that arrives as an argument of a helper is followed to where the caller got it.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .objects import (
    ClassValue,
    FunctionNode,
    FunctionValue,
    InstanceValue,
    ModuleValue,
    Scope,
    TransformedValue,
    default_of,
)
from .scopes import MUTATING_METHODS, parameter_names, walk_scope
from .values import (
    Array,
    Const,
    Dict,
    Lib,
    Seq,
    Static,
    Unknown,
    Value,
    Why,
    alternatives,
    holds_tracer,
)

if TYPE_CHECKING:
    from .frame import Frame

# Kinds of places that outlast a trace.
GLOBAL = "the module variable"
ENCLOSING = "the variable of an enclosing function"
ATTRIBUTE = "an object from outside"
ARGUMENT = "the argument"
DEFAULT = "a default that all calls share"

# Library objects that change when they are asked: names of their methods begin so.
STATEFUL = ("numpy.random.Generator().", "random.Random().")
COMPILED = frozenset({"jit", "pjit", "pmap", "filter_jit"})
PLAIN_BASES = ("object", "abc.ABC", "typing.Generic", "typing.Protocol")
# Builtins that make a number or an element of a container, not the container.
NUMBERS_OF = frozenset({"len", "sum", "min", "max", "any", "all", "bool"})
DISPLAYS = (
    *(ast.List, ast.Dict, ast.Set),
    *(ast.ListComp, ast.DictComp, ast.SetComp),
    ast.Call,
)
# Doing this again with the same static value changes nothing.
IDEMPOTENT = frozenset({"add", "update", "setdefault", "discard"})


@dataclass(frozen=True, slots=True)
class Origin:
    """Where an object comes from that was there before the trace.

    `owner`: the function whose argument it is.
    """

    kind: str
    text: str
    owner: FunctionNode | None = None

    def __str__(self) -> str:
        return f"`{self.text}`, {self.kind}"


@dataclass(frozen=True, slots=True)
class StateWrite:
    """One write to a place that outlasts the trace.

    `tracer`: why what is stored is traced; `repeats`: if it were done at every call,
    then every time would count (an append).
    """

    origin: Origin
    tracer: Why | None
    is_traced: bool
    staged: bool
    repeats: bool


# --- what the interpreter notes


def note_name(frame: Frame, node: ast.Name, value: Value) -> None:
    """`name = value`, where `global` or `nonlocal` make it another scope's."""
    if node.id in frame.scope.global_names:
        _note(frame, node, Origin(GLOBAL, node.id), [value], repeats=True)
    elif node.id in frame.scope.nonlocal_names:
        owner = frame.scope.owner_of(node.id)
        if owner is not None and owner.trace != frame.trace:
            _note(frame, node, Origin(ENCLOSING, node.id), [value], repeats=False)


def note_attribute(
    frame: Frame, node: ast.Attribute, base: Value, value: Value
) -> None:
    """`base.attr = value`."""
    for option in alternatives(base):
        match option:
            case InstanceValue():
                if not _is_outside(frame, option) or not is_plain(option.cls):
                    return
                kind = ATTRIBUTE
            case ModuleValue():
                kind = GLOBAL
            case ClassValue() if option.scope.trace != frame.trace:
                kind = ATTRIBUTE
            case FunctionValue() if option.scope.trace != frame.trace:
                kind = ATTRIBUTE
            case TransformedValue():
                kind = ATTRIBUTE
            case _:
                return
        origin = Origin(kind, ast.unparse(node))
        _note(frame, node, origin, [value], repeats=False)


def note_item(
    frame: Frame, node: ast.Subscript, base: Value, values: Sequence[Value]
) -> None:
    """`base[index] = value`, `del base[index]`."""
    if not any(_is_container(o, node) for o in alternatives(base)):
        return
    if isinstance(base, Array) and any(holds_tracer(v) for v in values):
        return  # NumPy takes no tracer: the store itself is the fault
    origin = origin_of(frame, node.value)
    if origin is not None:
        deletes = isinstance(node.ctx, ast.Del)
        _note(frame, node, origin, values, repeats=deletes)


def note_setattr(frame: Frame, node: ast.AST | None, args: Sequence[Value]) -> None:
    """`setattr(instance, name, value)`."""
    match args:
        case [InstanceValue() as instance, name, value]:
            outside = _is_outside(frame, instance) and is_plain(instance.cls)
            if outside and isinstance(node, ast.Call):
                text = ast.unparse(node.args[0])
                if isinstance(name, Const):
                    text = f"{text}.{name.value}"
                _note(frame, node, Origin(ATTRIBUTE, text), [value], repeats=False)


def note_method(
    frame: Frame,
    node: ast.AST | None,
    receiver: Value,
    name: str,
    args: Sequence[Value],
) -> None:
    """`receiver.append(value)` and the like."""
    if name not in MUTATING_METHODS or not isinstance(node, ast.Call):
        return
    if not isinstance(node.func, ast.Attribute):
        return
    origin = origin_of(frame, node.func.value)
    if origin is not None:
        repeats = name not in IDEMPOTENT or _counts(receiver, name, args)
        if origin.kind == ENCLOSING:
            # Closures that collect what a trace tells of shapes are read after it.
            repeats = repeats and any(
                isinstance(a, Const) and a.value is not None for a in args
            )
        _note(frame, node, origin, args, repeats=repeats)


def _counts(receiver: Value, name: str, args: Sequence[Value]) -> bool:
    """`Counter.update(["a"])`, which adds one: what a dict takes are pairs."""
    match receiver, args:
        case Dict(elem=Static(type="int")), [Seq(items=items, elem=elem)]:
            elements = (elem,) if items is None else items
            return name == "update" and not any(isinstance(e, Seq) for e in elements)
        case _:
            return False


def note_advance(frame: Frame, name: str, node: ast.AST | None) -> None:
    """`next(stream)`, `rng.normal()`."""
    if not isinstance(node, ast.Call) or not frame.under or frame.linear:
        return
    place: ast.expr | None = node.args[0] if name == "next" and node.args else None
    if isinstance(node.func, ast.Attribute) and name != "next":
        place = node.func.value
    origin = origin_of(frame, place) if place is not None else None
    if origin is not None:
        frame.interp.advanced[id(node)] = origin.text


def _note(
    frame: Frame,
    node: ast.AST,
    origin: Origin,
    values: Sequence[Value],
    *,
    repeats: bool,
) -> None:
    if not frame.under or frame.linear:
        return
    found = next((f for v in values if (f := holds_tracer(v)) is not None), None)
    why = found.why if found is not None else None
    made = StateWrite(origin, why, found is not None, frame.staging, repeats)
    old = frame.interp.state_writes.get(id(node))
    if old is None or (made.is_traced and not old.is_traced):
        frame.interp.state_writes[id(node)] = made


def _is_container(value: Value, node: ast.Subscript) -> bool:
    match value:
        case Dict():
            return True
        case Seq():
            return value.kind == "list"
        case Array(host=True, traced=False):
            return True
        case Array(tree=True, assumed=True):
            index = node.slice
            return isinstance(index, ast.Constant) and isinstance(index.value, str)
        case _:
            return False


def _is_outside(frame: Frame, instance: InstanceValue) -> bool:
    """Was the instance made in another trace? Copies made by transforms were not."""
    born = frame.interp.born.get(id(instance.attrs))
    return born is not None and born[1] != frame.trace


def is_plain(cls: ClassValue) -> bool:
    """A class whose attributes are plain Python: no framework gives them a meaning."""
    if cls.kind not in ("plain", "dataclass") or cls.frozen:
        return False
    for base in cls.bases:
        match base:
            case ClassValue():
                if not is_plain(base):
                    return False
            case Lib(name=name) if name in PLAIN_BASES:
                continue
            case _:
                return False
    return cls.lookup("__setattr__") is None


# --- where an object comes from


def origin_of(frame: Frame, place: ast.expr) -> Origin | None:
    """Where the object at `place` comes from; None if it was made in this trace, or if
    we cannot see."""
    return _origin(frame, frame.scope, place, depth=8)


def _origin(frame: Frame, scope: Scope, place: ast.expr, depth: int) -> Origin | None:
    if depth == 0:
        return None
    match place:
        case ast.Call(func=ast.Name(id="globals"), args=[]):
            return Origin(GLOBAL, ast.unparse(place))
        case ast.Call(func=ast.Name(id="vars"), args=[inner]):
            place = ast.Attribute(inner, "__dict__", ast.Load())
        case ast.Call(func=ast.Attribute(value=inner, attr="setdefault" | "get")):
            return _origin(frame, scope, inner, depth - 1)  # an element of it
    if isinstance(place, ast.Attribute | ast.Subscript):
        base = _peek(frame, scope, place.value)
        for option in alternatives(base):
            if isinstance(option, InstanceValue):
                outside = _is_outside(frame, option) and is_plain(option.cls)
                return Origin(ATTRIBUTE, ast.unparse(place)) if outside else None
            if isinstance(option, ModuleValue):
                return Origin(GLOBAL, ast.unparse(place))
            if isinstance(option, ClassValue) and option.scope.trace != frame.trace:
                return Origin(ATTRIBUTE, ast.unparse(place))
        return _origin(frame, scope, place.value, depth - 1)
    if not isinstance(place, ast.Name):
        return None
    owner = scope.owner_of(place.id)
    if owner is None or owner.node is scope.module.tree:
        known = place.id in scope.module.globals
        return Origin(GLOBAL, place.id) if known else None
    if owner.trace != frame.trace:
        return Origin(ENCLOSING, place.id)
    return _local_origin(frame, owner, place.id, depth)


def _peek(frame: Frame, scope: Scope, node: ast.expr) -> Value:
    match node:
        case ast.Name(id=name):
            owner = scope.owner_of(name)
            if owner is not None:
                return owner.vars[name]
            return scope.module.globals.get(name, Unknown())
        case ast.Attribute(value=value, attr=attr):
            base = _peek(frame, scope, value)
            if isinstance(base, InstanceValue):
                return base.attrs.get(attr, Unknown())
        case _:
            pass
    return Unknown()


def _local_origin(frame: Frame, scope: Scope, name: str, depth: int) -> Origin | None:
    """Of a variable of the trace itself: an argument, or another name of something."""
    function = scope.node
    if not isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
        return None
    bindings = _bindings(frame, function, name)
    if name in parameter_names(function):
        if bindings or function.args.kwarg and function.args.kwarg.arg == name:
            return None
        if scope.is_entry:
            kept = _is_returned(function, name) or not _is_compiled(frame, function)
            return Origin(ARGUMENT, name, function) if not kept else None
        given = scope.arguments.get(name)
        if given is None:
            return None
        if isinstance(given[1], DISPLAYS):
            return Origin(DEFAULT, name) if given[0].trace != frame.trace else None
        return _origin(frame, *given, depth - 1)
    match bindings:
        case [ast.Assign(targets=[ast.Name()], value=value)] if isinstance(
            value, ast.Name | ast.Attribute | ast.Subscript
        ) and not _is_returned(function, name):
            return _origin(frame, scope, value, depth - 1)
        case _:
            return None


def _bindings(frame: Frame, function: ast.AST, name: str) -> Sequence[ast.AST]:
    """The statements of a function that bind `name`."""
    if isinstance(function, ast.Lambda):
        return ()
    known = frame.interp.bindings.get(id(function))
    if known is None:
        known = {}
        for node in walk_scope(getattr(function, "body", [])):
            for bound in _bound_names(node):
                known.setdefault(bound, []).append(node)
        frame.interp.bindings[id(function)] = known
    return known.get(name, ())


def _bound_names(node: ast.AST) -> set[str]:
    match node:
        case ast.Assign(targets=targets):
            parts: list[ast.AST] = list(targets)
        case ast.AnnAssign() | ast.AugAssign() | ast.For() | ast.NamedExpr():
            parts = [node.target]
        case ast.withitem(optional_vars=ast.expr() as target):
            parts = [target]
        case _:
            return set()
    inner = (n for part in parts for n in ast.walk(part))
    return {
        n.id for n in inner if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
    }


def _is_compiled(frame: Frame, function: ast.AST) -> bool:
    """Is the function itself under `jit`, so that its caller sees what it changes?"""
    roots = frame.interp.called.get(id(function), ())
    return any(root.transform.rpartition(".")[2] in COMPILED for root in roots)


def _is_returned(function: ast.AST, name: str) -> bool:
    """Does the function hand the object itself on, so that the write is not lost?"""
    for node in ast.walk(function):
        if isinstance(node, ast.Return | ast.Yield) and node.value is not None:
            parts = {
                id(n.value)
                for n in ast.walk(node.value)
                if isinstance(n, ast.Attribute | ast.Subscript)
            } | {
                id(a)
                for n in ast.walk(node.value)
                if isinstance(n, ast.Call)
                and isinstance(n.func, ast.Name)
                and n.func.id in NUMBERS_OF
                for a in n.args
            }
            for one in ast.walk(node.value):
                whole = isinstance(one, ast.Name) and id(one) not in parts
                if whole and getattr(one, "id", "") == name:
                    return True
    return False


def passed_arguments(
    frame: Frame, function: FunctionValue, node: ast.AST | None, bound: dict[str, Value]
) -> dict[str, tuple[Scope, ast.expr]]:
    """What stands in the call, or as the default, for parameters that get containers
    or instances."""
    held = {n: v for n, v in bound.items() if isinstance(v, Seq | Dict | InstanceValue)}
    if not held or not isinstance(node, ast.Call):
        return {}
    spec = function.node.args
    names = [a.arg for a in (*spec.posonlyargs, *spec.args)]
    if function.owner is not None and names:
        names = names[1:]
    pairs: list[tuple[str, ast.expr]] = [*zip(names, node.args, strict=False)]
    pairs += [(k.arg, k.value) for k in node.keywords if k.arg is not None]
    passed: dict[str, tuple[Scope, ast.expr]] = {
        name: (frame.scope, value)
        for name, value in pairs
        if name in held
        and isinstance(value, ast.Name | ast.Attribute)
        and _peek(frame, frame.scope, value) == held[name]
    }
    is_open = any(isinstance(a, ast.Starred) for a in node.args) or any(
        k.arg is None for k in node.keywords
    )
    if not is_open:
        given = {name for name, _ in pairs}
        for name in held:
            default = default_of(function.node, name)
            if default is not None and name not in given:
                passed[name] = (function.scope, default)
    return passed


def origins(
    frame: Frame, arguments: Mapping[str, tuple[Scope, ast.expr]]
) -> tuple[Origin | None, ...]:
    """Where the containers among the arguments come from: one call of a helper may fill
    a list of the trace, and the next one a list from outside."""
    return tuple(_origin(frame, *given, depth=8) for given in arguments.values())


__all__ = [
    "StateWrite",
    "Origin",
    "note_advance",
    "note_attribute",
    "note_item",
    "note_method",
    "note_name",
    "note_setattr",
    "origin_of",
    "origins",
    "passed_arguments",
]
