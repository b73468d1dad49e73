"""Which transforms must declare what static, so that a value is known while tracing."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from .arguments import has_axis
from .call_sites import (
    Parameter,
    Site,
    Unclear,
    argument,
    call_sites,
    callers,
    spread_values,
)
from .demands import demand_of, is_setting
from .finding import CannotFix, Evidence
from .objects import (
    BoundValue,
    ClassValue,
    FunctionValue,
    InstanceValue,
    PartialValue,
    TransformedValue,
)
from .origins import Origins, mentioned, origins
from .scopes import is_mutated
from .transform_names import CHECKPOINT, GRAD, HESSIAN, JIT, VECTORIZE, VMAP
from .transformed import (
    constants,
    declares_unseen,
    positional_names,
    static_names,
    underlying,
)
from .values import (
    SCALAR,
    Array,
    Const,
    Dict,
    Lib,
    Seq,
    Static,
    Value,
    alternatives,
    holds_tracer,
)

if TYPE_CHECKING:
    from .facts import Facts, Function

DECLARING = JIT - {"jax.named_call", "jax.eval_shape_of"}


class Unseen(CannotFix):
    """No transform is found that makes the value a tracer, so perhaps it is none."""


@dataclass(slots=True)
class Declaration:
    """A transform, and the parameters that it must declare static."""

    root: TransformedValue
    names: list[str] = field(default_factory=list)


@dataclass(slots=True)
class Closure:
    """All that must change together, so that some parameters become static.

    `conversions` are arguments of calls that need another type: (the caller, the
    argument, "tuple", "int" or "items"). `calls` of jax.numpy must become NumPy's.
    `numbers` are arguments that are a Python float in some call. `frozen` are the
    dataclasses of arguments, which must become frozen to have a hash. `objects` are
    arguments of classes of the project.
    """

    parameters: set[Parameter] = field(default_factory=set)
    declarations: dict[tuple[int, int], Declaration] = field(default_factory=dict)
    conversions: list[tuple[Function, ast.expr, str]] = field(default_factory=list)
    calls: list[tuple[Function, ast.Call]] = field(default_factory=list)
    restores: set[Parameter] = field(default_factory=set)
    frozen: dict[int, ClassValue] = field(default_factory=dict)
    numbers: list[ast.expr] = field(default_factory=list)
    objects: list[tuple[ast.expr, InstanceValue]] = field(default_factory=list)

    @property
    def key(self) -> str:
        names = [
            f"{d.root.module.path}:{getattr(d.root.node, 'lineno', 0)}:{name}"
            for d in self.declarations.values()
            for name in d.names
        ]
        calls = [f"{fn.path}:{c.lineno}:{c.col_offset}" for fn, c in self.calls]
        return " ".join(sorted({*names, *calls}))

    def add(self, other: Closure) -> None:
        """Take in what another value needs."""
        self.parameters |= other.parameters
        for key, declaration in other.declarations.items():
            mine = self.declarations.setdefault(key, Declaration(declaration.root))
            mine.names += [n for n in declaration.names if n not in mine.names]
        known = {id(node) for _, node, _ in self.conversions}
        self.conversions += [c for c in other.conversions if id(c[1]) not in known]
        self.calls += [c for c in other.calls if c not in self.calls]
        self.restores |= other.restores
        self.frozen |= other.frozen
        self.numbers += other.numbers
        self.objects += other.objects

    def names(self) -> list[str]:
        found: list[str] = []
        for declaration in self.declarations.values():
            found += [n for n in declaration.names if n not in found]
        return found


def closure(facts: Facts, start: Origins) -> Closure:
    """What must be declared so that the parameters in `start` are known.

    Raises:
      CannotFix: a parameter gets values that cannot be known, or are not hashable.
    """
    found = Closure(calls=list(start.calls))
    todo = sorted(start.parameters, key=lambda p: p.name)
    while todo:
        one = todo.pop()
        if one in found.parameters:
            continue
        found.parameters.add(one)
        todo += _require(facts, one, found)
    if not found.declarations and not found.calls:
        raise Unseen("it is not seen which transform makes it a tracer")
    return found


def _require(facts: Facts, one: Parameter, found: Closure) -> list[Parameter]:
    """Note what makes one parameter static; the parameters that it is computed from."""
    more: list[Parameter] = []
    sites = call_sites(facts, one.node)
    roots = facts.interpreter.called.get(id(one.node), [])
    declared = [_declare(root, one, found) for root in roots]
    if not sites and not any(declared):
        name = getattr(one.node, "name", "the function")
        raise CannotFix(f"`{one.name}` of `{name}` is given by JAX, not by a call")
    for site in sites:
        try:
            given = argument(site, one.name)
        except Unclear as error:
            if not _is_spread_static(site, one.name):
                raise CannotFix(str(error)) from None
            continue
        if given is None:
            continue
        for caller in callers(facts, site):
            more += _given(caller, given, one, found)
    return more


def _is_spread_static(site: Site, name: str) -> bool:
    """Does `f(*rest, **options)` give a parameter what a static one may be?"""
    values = spread_values(site, name)
    return values is not None and all(map(_is_plainly_static, values))


def _is_plainly_static(value: Value) -> bool:
    """Has a value a hash as it is, and is it neither a tracer nor a float?"""
    if holds_tracer(value) is not None or conversion(value) != "":
        return False
    kinds = (Const, Static, Lib, FunctionValue)
    return all(
        (isinstance(option, kinds) and not is_float(option))
        or (isinstance(option, Seq) and option.kind == "tuple")
        for option in alternatives(value)
    )


def _declare(root: TransformedValue, one: Parameter, found: Closure) -> bool:
    """Note the declaration that a transform needs; whether it takes one."""
    names = positional_names(root.function)
    fn = underlying(root.function)
    assert fn is not None, "a root of this function has it at the bottom"
    keyword_only = [a.arg for a in fn.node.args.kwonlyargs]
    if one.name not in names and one.name not in keyword_only:
        return False
    place = names.index(one.name) if one.name in names else None
    what = root.transform.rpartition(".")[2]
    if root.transform in VMAP | VECTORIZE:
        if place is None or has_axis(root.option("in_axes"), place):
            raise CannotFix(f"`{one.name}` is mapped over by `{what}`")
        return False
    if root.transform in GRAD | HESSIAN:
        argnums = constants(root.option("argnums")) or [0]
        if place is not None and place in argnums:
            raise CannotFix(f"`{one.name}` is differentiated by `{what}`")
        return False
    if root.transform not in DECLARING | CHECKPOINT:
        raise CannotFix(f"`{what}` declares no static arguments")
    if root.transform in CHECKPOINT and place is None:
        raise CannotFix(f"`{what}` takes no static keyword arguments")
    if one.name in static_names(root):
        return True
    key = (id(root.node), id(one.node))
    shared = [k for k in found.declarations if k[0] == key[0] and k[1] != key[1]]
    if shared:
        raise CannotFix(f"one `{what}` compiles several functions")
    declaration = found.declarations.setdefault(key, Declaration(root))
    if one.name not in declaration.names:
        declaration.names.append(one.name)
    return True


def _given(
    caller: Function, given: ast.expr, one: Parameter, found: Closure
) -> Iterable[Parameter]:
    value = caller.value(given)
    if value is not None and holds_tracer(value) is not None:
        inner = origins(caller, given)
        if inner is None:
            text = ast.unparse(given)
            line = getattr(given, "lineno", 0)
            raise CannotFix(f"`{text}` (line {line}) is computed from traced values")
        found.calls += [c for c in inner.calls if c not in found.calls]
        return sorted(inner.parameters, key=lambda p: p.name)
    value = caller.host_value(given) or value
    if value is not None:
        _check_hashable(caller, given, value, one, found)
        if any(is_float(option) for option in alternatives(value)):
            found.numbers.append(given)
    return ()


def is_float(value: Value) -> bool:
    if isinstance(value, Const):
        return isinstance(value.value, float)
    return isinstance(value, Static) and value.type == "float"


def _check_hashable(
    caller: Function, given: ast.expr, value: Value, one: Parameter, found: Closure
) -> None:
    need = conversion(value)
    if need == "":
        found.objects += [
            (given, o) for o in alternatives(value) if isinstance(o, InstanceValue)
        ]
        return
    where = f"`{ast.unparse(given)}` (line {getattr(given, 'lineno', 0)})"
    if need is None and (classes := thawed(value)):
        found.frozen |= {id(cls.node): cls for cls in classes}
        return
    if need is None:
        raise CannotFix(f"{where} is not hashable, and a static argument must be")
    if is_mutated(one.node, one.name):
        raise CannotFix(f"`{one.name}` is changed in place")
    if need == "items":
        check_restorable(one)
        found.restores.add(one)
    if not any(node is given for _, node, _ in found.conversions):
        found.conversions.append((caller, given, need))


def thawed(value: Value) -> tuple[ClassValue, ...]:
    """The dataclasses, not frozen, of what has no hash for that reason alone."""
    found: list[ClassValue] = []
    for option in alternatives(value):
        if not isinstance(option, InstanceValue) or option.cls.kind != "dataclass":
            return ()
        if not all(conversion(attr) == "" for attr in option.attrs.values()):
            return ()
        found.append(option.cls)
    return tuple(found)


def check_restorable(one: Parameter) -> None:
    """Can a function make a dict of the items that it is given for a parameter?

    Raises:
      CannotFix: it is a lambda, or it is not always given one.
    """
    if isinstance(one.node, ast.Lambda):
        raise CannotFix("a lambda cannot make a dict of the items again")
    spec = one.node.args
    positional = [*spec.posonlyargs, *spec.args]
    first = len(positional) - len(spec.defaults)
    optional = {a.arg for a in positional[first:]} | {
        a.arg for a, d in zip(spec.kwonlyargs, spec.kw_defaults, strict=True) if d
    }
    if one.name in optional:
        raise CannotFix(f"`{one.name}` is a dict that need not be given")


def conversion(value: Value) -> str | None:
    """What makes a value hashable: nothing (""), "tuple", "int"; None: nothing can."""
    needs: set[str | None] = set()
    for option in alternatives(value):
        needs.add(_conversion(option))
    if needs == {"", "tuple"}:
        return None
    return needs.pop() if len(needs) == 1 else None


def _conversion(value: Value) -> str | None:
    match value:
        case Seq(kind="list"):
            inner = value.items if value.items is not None else (value.elem,)
            hashable = all(v is None or conversion(v) == "" for v in inner)
            return "tuple" if hashable else None
        case Seq(kind="tuple" | "frozenset" | "range" | "iter"):
            inner = value.items if value.items is not None else (value.elem,)
            return "" if all(v is None or conversion(v) == "" for v in inner) else None
        case Dict():
            parts = [v for _, v in value.items] if value.items else [value.elem]
            hashable = all(v is not None and conversion(v) == "" for v in parts)
            return "items" if hashable else None
        case Seq():
            return None
        case Const(value=list() | dict() | set()):
            return None
        case Array() if is_numpy_number(value):
            return ""
        case Array():
            whole = value.dtype is not None and value.dtype.kind in ("i", "b")
            return "int" if whole and value.shape == SCALAR else None
        case InstanceValue():
            own = value.cls.lookup("__hash__")
            if own is not None or value.cls.kind not in ("namedtuple", "dataclass"):
                return "" if is_hashable(value.cls) else None
            # Its hash is that of its fields.
            hashable = all(conversion(v) == "" for v in value.attrs.values())
            return "" if hashable and is_hashable(value.cls) else None
        case _:
            return ""


def is_numpy_number(value: Array) -> bool:
    """Is it `np.int64(3)`, an element of a NumPy array or what it is reduced to?"""
    return value.host and not value.traced and value.shape == SCALAR


def is_hashable(cls: ClassValue) -> bool:
    """Have instances of a class of the project a hash?"""
    own = cls.lookup("__hash__")
    if own is not None:
        return own != Const(None)
    if cls.kind == "dataclass":
        arguments = [
            keyword
            for decorator in cls.node.decorator_list
            if isinstance(decorator, ast.Call)
            for keyword in decorator.keywords
        ]
        told = {
            k.arg
            for k in arguments
            if k.arg in ("frozen", "unsafe_hash")
            and isinstance(k.value, ast.Constant)
            and k.value.value is True
        }
        no_eq = any(
            k.arg == "eq" and isinstance(k.value, ast.Constant) and not k.value.value
            for k in arguments
        )
        return cls.frozen or bool(told) or no_eq
    return cls.lookup("__eq__") is None or cls.kind in ("enum", "namedtuple")


def is_pytree(facts: Facts, cls: ClassValue) -> bool:
    """Is a class registered as a pytree, as far as can be seen? In doubt it is."""
    if cls.kind not in ("plain", "dataclass") or cls.node.bases or cls.node.keywords:
        return True
    if not all(_is_plain(facts, cls, d) for d in cls.node.decorator_list):
        return True
    return any(
        isinstance(node, ast.Call)
        and "register" in ast.unparse(node.func)
        and any(isinstance(n, ast.Name) and n.id == cls.name for n in ast.walk(node))
        for module in facts.project.in_scope()
        if "register" in module.text and cls.name in module.text
        for node in ast.walk(module.tree)
    )


def _is_plain(facts: Facts, cls: ClassValue, decorator: ast.expr) -> bool:
    """Is it a decorator that registers nothing?

    A module of the project may have the name of one of the standard library.
    """
    made_by = decorator.func if isinstance(decorator, ast.Call) else decorator
    name = facts.module_code(cls.module).resolve(made_by)
    return name in ("dataclasses.dataclass", "functools.total_ordering")


# --- parameters that are given what jit does not take


def settings(facts: Facts) -> dict[Parameter, Evidence]:
    """Parameters of jitted functions that some call gives a string, a function, ...

    Such an argument is no array, so the call fails before anything is traced.
    """
    found: dict[Parameter, Evidence] = {}
    for roots in list(facts.interpreter.called.values()):
        for root in roots:
            fn = underlying(root.function)
            if root.transform not in DECLARING or fn is None or declares_unseen(root):
                continue
            static = static_names(root)
            # The receiver of a bound method is no argument of what `jit` returns.
            names = positional_names(root.function)
            names += [a.arg for a in fn.node.args.kwonlyargs]
            for site in call_sites(facts, fn.node):
                if calls_root(site, root):
                    for name in names:
                        if name not in static:
                            _note_setting(facts, site, Parameter(fn.node, name), found)
    return found


def calls_root(site: Site, root: TransformedValue) -> bool:
    callee = site.callee
    while isinstance(callee, BoundValue | PartialValue):
        callee = callee.function
    return callee == root


def _note_setting(
    facts: Facts, site: Site, one: Parameter, found: dict[Parameter, Evidence]
) -> None:
    try:
        given = argument(site, one.name)
    except Unclear:
        _note_spread(facts, site, one, found)
        return
    if given is None:
        return
    for caller in callers(facts, site):
        value = caller.value(given) or caller.host_value(given)
        if value is not None and _is_no_array(facts, value):
            text = f"`{ast.unparse(given)}` is passed as `{one.name}`, and is no array"
            found.setdefault(one, Evidence(caller.path, given.lineno, text))


def _note_spread(
    facts: Facts, site: Site, one: Parameter, found: dict[Parameter, Evidence]
) -> None:
    if any(_is_no_array(facts, v) for v in spread_values(site, one.name) or ()):
        text = f"what is passed as `{one.name}` with others is no array"
        line = getattr(site.node, "lineno", 1)
        found.setdefault(one, Evidence(site.call.module.path, line, text))


def _is_no_array(facts: Facts, value: Value) -> bool:
    options = [o for o in alternatives(value) if o != Const(None)]
    return bool(options) and all(_is_setting(facts, o) for o in options)


def _is_setting(facts: Facts, value: Value) -> bool:
    """Is a value no valid argument of what `jit` returns, or is a part of it none?"""
    match value:
        case InstanceValue(cls=cls):
            return not is_pytree(facts, cls)
        case Dict(items=pairs) if pairs:
            return any(_is_setting(facts, v) for _, v in pairs)
        case Seq(kind="tuple" | "list", items=items) if items:
            return any(_is_setting(facts, v) for v in items)
        case _:
            return is_setting(value) or _is_function(value)


def _is_function(value: Value) -> bool:
    return isinstance(
        value,
        FunctionValue | BoundValue | PartialValue | TransformedValue | ClassValue,
    )


def reached(facts: Facts, start: Iterable[Parameter]) -> set[Parameter]:
    """The parameters, and those of callers, from which their values are computed."""
    found: set[Parameter] = set()
    todo = list(start)
    while todo:
        one = todo.pop()
        if one in found:
            continue
        found.add(one)
        for site in call_sites(facts, one.node):
            try:
                given = argument(site, one.name)
            except Unclear:
                continue
            if given is not None:
                for caller in callers(facts, site):
                    todo += mentioned(caller, given)
    return found


# --- parameters that must become static


def needed(facts: Facts) -> frozenset[Parameter]:
    """Parameters that must become static, because something firm depends on them."""
    found: set[Parameter] = set()
    for start in firm_origins(facts):
        try:
            found |= closure(facts, start).parameters
        except CannotFix:
            continue
    return frozenset(found)


def firm_origins(facts: Facts) -> list[Origins]:
    """Where the values come from that nothing but a static argument can give."""
    found = [Origins({one}) for one in facts.settings]
    for module in facts.project.in_scope():
        for fn in facts.functions(module):
            if not fn.under:
                continue
            for node in fn.walk():
                demand = demand_of(fn, node)
                if demand is not None and demand.firm:
                    found += [o for p in demand.parts if (o := unknown(fn, p))]
    return [o for o in found if o.parameters]


def unknown(fn: Function, part: ast.expr) -> Origins | None:
    """The origins of a value that tracing makes a tracer; None if it is known.

    None too if it is computed from data, which no declaration makes known.
    """
    if not is_unknown(fn, part):
        return None
    found = origins(fn, part)
    return found if found is not None and (found.parameters or found.calls) else None


def is_unknown(fn: Function, part: ast.expr) -> bool:
    """Is an expression, or a part of it, a tracer?"""
    value = fn.value(part)
    return value is not None and holds_tracer(value) is not None


def reads_object(fn: Function, part: ast.expr) -> bool:
    """Does an expression read a field of an object? Which are traced is not sure."""
    return any(
        isinstance(node, ast.Attribute)
        and not isinstance(fn.value(node.value), Array | Lib)
        for node in ast.walk(part)
    )
