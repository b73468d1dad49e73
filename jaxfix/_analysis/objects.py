"""Abstract values of Python objects that hold code or state, and their scopes."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from .values import (
    Array,
    Const,
    Dict,
    Lib,
    Seq,
    Static,
    Unknown,
    Value,
    alternatives,
    join,
    plain,
    replace,
)

if TYPE_CHECKING:
    from .project import Module

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


@dataclass(slots=True, eq=False)
class Scope:
    """The variables of one call of a function (or of a module or class body).

    Closures keep a reference to the scope, so a nested function sees the variables as
    they are when it is called, as in Python.
    """

    module: Module
    node: ast.AST
    parent: Scope | None = None
    vars: dict[str, Value] = field(default_factory=dict)
    is_class: bool = False
    global_names: set[str] = field(default_factory=set)
    nonlocal_names: set[str] = field(default_factory=set)
    instances: dict[int, InstanceValue] = field(default_factory=dict)
    trace: int = 0  # the trace in which it was made
    is_entry: bool = False  # of the function that a trace begins with
    arguments: dict[str, tuple[Scope, ast.expr]] = field(default_factory=dict)
    number: int = field(default_factory=itertools.count().__next__)  # never used again

    def owner_of(self, name: str) -> Scope | None:
        """The function scope that binds `name`; None for module variables, builtins."""
        if name in self.global_names:
            return None
        if name in self.vars and name not in self.nonlocal_names:
            return self
        scope = self.parent
        while scope is not None:
            if name in scope.vars and not scope.is_class:
                return scope
            scope = scope.parent
        return None


@plain(eq=False)
class FunctionValue(Value):
    """A function or lambda of the project, with the scope that it closes over."""

    node: FunctionNode
    scope: Scope
    module: Module
    qualname: str
    defaults: tuple[tuple[str, Value], ...] = ()
    owner: ClassValue | None = None
    is_generator: bool = False

    @property
    def name(self) -> str:
        return getattr(self.node, "name", "<lambda>")

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, FunctionValue)
            and other.node is self.node
            and other.scope is self.scope
        )

    def __hash__(self) -> int:
        return hash((id(self.node), self.scope.number))


@plain()
class BoundValue(Value):
    """A callable with its first argument bound: a method of an instance."""

    function: Value
    receiver: Value


@plain()
class MethodValue(Value):
    """A method of a built-in or array object: `xs.append`, `x.sum`, `x.at[i].set`."""

    receiver: Value
    name: str


@plain()
class PartialValue(Value):
    """`functools.partial(function, *args, **keywords)`."""

    function: Value
    args: tuple[Value, ...]
    keywords: tuple[tuple[str, Value], ...]


@plain(eq=False)
class TransformedValue(Value):
    """What `jax.jit(f, ...)` or another transform returns."""

    transform: str  # canonical dotted name, e.g. "jax.jit"
    function: Value
    options: tuple[tuple[str, Value], ...]
    node: ast.AST  # the call or the decorator
    module: Module

    def option(self, name: str) -> Value | None:
        return dict(self.options).get(name)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, TransformedValue)
            and other.node is self.node
            and other.function == self.function
        )

    def __hash__(self) -> int:
        return hash((id(self.node), self.transform))


@plain(eq=False)
class ClassValue(Value):
    """A class of the project."""

    node: ast.ClassDef
    module: Module
    scope: Scope
    bases: tuple[Value, ...]
    kind: (
        str  # "namedtuple" | "dataclass" | "module" (equinox, flax) | "enum" | "plain"
    )
    frozen: bool
    fields: tuple[str, ...]
    static_fields: frozenset[str]
    decorators: tuple[str, ...]

    @property
    def name(self) -> str:
        return self.node.name

    def lookup(self, name: str, depth: int = 8) -> Value | None:
        """The class attribute `name`, searched through the bases."""
        if name in self.scope.vars:
            return self.scope.vars[name]
        if depth:
            for base in self.bases:
                if isinstance(base, ClassValue):
                    found = base.lookup(name, depth - 1)
                    if found is not None:
                        return found
        return None

    @property
    def is_number(self) -> bool:
        """Are its members integers, as those of an `IntEnum` are?"""
        return any(
            base.name in ("enum.IntEnum", "enum.IntFlag")
            if isinstance(base, Lib)
            else isinstance(base, ClassValue) and base.is_number
            for base in self.bases
        )

    @property
    def is_immutable(self) -> bool:
        """Is nothing known of its instances but what their fields are?"""
        is_data = self.kind == "namedtuple" or (
            self.kind == "dataclass" and self.frozen
        )
        return is_data and self.lookup("__init__") is None

    def all_fields(self) -> tuple[str, ...]:
        inherited: list[str] = []
        for base in self.bases:
            if isinstance(base, ClassValue):
                inherited += base.all_fields()
        return (*inherited, *(f for f in self.fields if f not in inherited))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ClassValue) and other.node is self.node

    def __hash__(self) -> int:
        return hash(id(self.node))


@plain(eq=False)
class InstanceValue(Value):
    """An instance of a class of the project. `attrs` is a heap cell: it is mutated.

    `traced` says that the instance is a pytree whose array fields are tracers.
    `by_value`: it is one of many alike, and nobody asks which: its class is frozen, or
    a transform took it apart and made it anew. Two such are equal if their parts are.
    """

    cls: ClassValue
    attrs: dict[str, Value]
    complete: bool  # every attribute is in `attrs`, a missing one is an error
    traced: bool = False
    by_value: bool = False

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, InstanceValue):
            return False
        if other.attrs is self.attrs:
            return True
        return self._is_like(other) and (
            self.traced == other.traced and self.attrs == other.attrs
        )

    def __hash__(self) -> int:
        if self.by_value:
            return hash((self.cls, *self.attrs))
        return hash(id(self.attrs))

    def copied(self, attrs: dict[str, Value], **changed: Any) -> InstanceValue:
        """Another instance of the class, with these attributes."""
        return replace(self, attrs=attrs, by_value=True, **changed)

    def combined(
        self, other: Value, combine: Callable[[Value, Value], Value]
    ) -> InstanceValue | None:
        """Both in one, attribute by attribute; None if they are two objects."""
        if not isinstance(other, InstanceValue) or not self._is_like(other):
            return None
        if self.attrs.keys() != other.attrs.keys():
            return None
        return self.copied(
            {name: combine(v, other.attrs[name]) for name, v in self.attrs.items()},
            complete=self.complete and other.complete,
            traced=self.traced or other.traced,
            why=self.why or other.why,
        )

    def joined(self, other: Value) -> Value | None:
        return self.combined(other, join)

    def _is_like(self, other: InstanceValue) -> bool:
        return self.by_value and other.by_value and self.cls == other.cls


def remembered(old: Value, new: Value) -> Value:
    """What is noted of an expression that had one value and now has another.

    Of many instances of one class it notes what they have in common.
    """
    found = join(old, new)
    if not isinstance(found, Unknown):
        return found
    first, *others = [*alternatives(old), *alternatives(new)]
    for other in others:
        if not isinstance(first, InstanceValue) or not isinstance(other, InstanceValue):
            return found
        if first.cls != other.cls:
            return found
        one = first.copied(first.attrs)
        merged = one.joined(other.copied(other.attrs))
        if not isinstance(merged, InstanceValue):
            return found
        first = merged
    return first


@plain(eq=False)
class ModuleValue(Value):
    """A module of the project."""

    module: Any

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ModuleValue) and other.module is self.module

    def __hash__(self) -> int:
        return hash(id(self.module))


@plain()
class SuperValue(Value):
    """`super()` in a method of `cls`."""

    cls: ClassValue
    receiver: Value


NUMBERS = ("int", "float", "bool", "complex")


def is_traced_tree(value: Value) -> bool:
    """A tracer, or a tuple, dict or instance whose leaves are all tracers."""
    match value:
        case Array():
            return value.traced and not value.assumed
        case Seq(kind="tuple" | "list", items=items) if items:
            return all(map(is_traced_tree, items))
        case Dict(items=pairs) if pairs:
            return all(is_traced_tree(v) for _, v in pairs)
        case InstanceValue(attrs=attrs) if attrs and value.complete:
            return all(map(is_traced_tree, attrs.values()))
        case _:
            return False


def default_of(node: FunctionNode, name: str) -> ast.expr | None:
    spec = node.args
    positional = [*spec.posonlyargs, *spec.args]
    pairs = [
        *zip(reversed(positional), reversed(spec.defaults), strict=False),
        *zip(spec.kwonlyargs, spec.kw_defaults, strict=True),
    ]
    return next((default for arg, default in pairs if arg.arg == name), None)


def is_data(value: Value) -> bool:
    """Numbers, arrays, and tuples, lists and dicts of them. Of what is empty we do not
    know what it will hold."""
    for option in alternatives(value):
        match option:
            case Const(value=bool() | int() | float() | complex()) | Array():
                continue
            case Static(type=kind) if kind in NUMBERS:
                continue
            case Seq(kind="tuple" | "list", items=items) if items is not None:
                if not items or not all(is_data(v) for v in items):
                    return False
            case Seq(kind="tuple" | "list", elem=elem) if elem is not None:
                if not is_data(elem):
                    return False
            case Dict(items=pairs) if pairs is not None:
                known = all(isinstance(k, str) and is_data(v) for k, v in pairs)
                if not pairs or not known:
                    return False
            case Dict(elem=elem) if elem is not None and option.words:
                if not is_data(elem):
                    return False
            case InstanceValue() if option.cls.kind == "namedtuple":
                if not all(is_data(v) for v in option.attrs.values()):
                    return False
            case _:
                return False
    return True


def is_callable(value: Value) -> bool:
    return isinstance(
        value,
        FunctionValue
        | BoundValue
        | PartialValue
        | TransformedValue
        | Lib
        | MethodValue
        | ClassValue,
    )


def is_setting(value: Value) -> bool:
    """A flag, an integer, a word, a function of a module: few values, and hashable."""
    for option in alternatives(value):
        match option:
            case Const(value=None | bool() | int() | str()):
                continue
            case Static(type="bool" | "int" | "str"):
                continue
            case Lib(name=name) if name.startswith("jax."):
                continue
            case FunctionValue(scope=Scope(node=ast.Module())):
                continue
            case Seq(kind="tuple", items=items) if items is not None:
                if not all(map(is_setting, items)):
                    return False
            case _:
                return False
    return True
