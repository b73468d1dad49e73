"""Every use of a function in the project: its calls, and where it gets out of sight.

A function is followed by name: through imports, transforms (`g = jax.jit(f)`),
`functools.partial`, variables and attributes, until it is called or passed on as a
value. Names are resolved by scope, so code that never ran is seen as well.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

from .changes import FUNCTIONS, Place, Places, ScopeNode
from .facts import Facts
from .finding import CannotFix
from .objects import FunctionNode, PartialValue
from .project import Module
from .transform_names import COMPILING, GRAD, VMAP, WRAPPERS
from .values import Lib

MAPPING = VMAP | {"jax.pmap"}
PARTIAL = "functools.partial"
LOWERING = frozenset({"lower", "trace", "eval_shape"})
HARMLESS = frozenset(
    {"__name__", "__doc__", "__qualname__", "clear_cache", "__wrapped__"}
)
# Transforms whose wrapping keeps an argument that is added at the end an argument.
KEEPS_ARGUMENTS = COMPILING | MAPPING | GRAD | {"jax.checkpoint", "jax.remat"}


@dataclass(frozen=True, slots=True)
class Layer:
    """One transform around a function: a decorator, or the call that applies it."""

    node: ast.expr
    module: Module
    name: str

    @property
    def compiles(self) -> bool:
        return self.name in COMPILING


@dataclass(frozen=True, slots=True)
class Use:
    """One place where a function is called, or goes out of sight.

    `layers`: the transforms that are around it there, innermost first, and the calls of
    `functools.partial` between them.
    """

    node: ast.expr
    module: Module
    owner: ScopeNode
    layers: tuple[Layer, ...]
    why: str = ""

    @property
    def compiled_by(self) -> Layer | None:
        return next((one for one in reversed(self.layers) if one.compiles), None)

    @property
    def is_mapped(self) -> bool:
        return any(one.name in MAPPING for one in self.layers)

    def partials_in(self, layer: Layer) -> list[ast.Call]:
        """The calls of `functools.partial` that a layer is around."""
        found: list[ast.Call] = []
        for one in self.layers:
            if one.node is layer.node:
                break
            if one.name == PARTIAL and isinstance(one.node, ast.Call):
                found.append(one.node)
        return found

    @property
    def bound_names(self) -> set[str | None]:
        """The parameters that partials bind by keyword; None for all those of `**`."""
        return {
            keyword.arg
            for one in self.layers
            if one.name == PARTIAL and isinstance(one.node, ast.Call)
            for keyword in one.node.keywords
        }


@dataclass(slots=True)
class Uses:
    """What is known of all the uses of one function."""

    calls: list[Use] = field(default_factory=list)
    passed: list[Use] = field(default_factory=list)
    escapes: list[Use] = field(default_factory=list)
    layers: list[Layer] = field(default_factory=list)
    partials: list[Layer] = field(default_factory=list)


class CallSites:
    """Finds the uses of functions."""

    def __init__(self, facts: Facts, places: Places) -> None:
        self.facts = facts
        self.places = places
        self._uses: dict[int, Uses] = {}

    @cached_property
    def _loads(self) -> dict[str, list[tuple[Module, ast.Name | ast.Attribute]]]:
        """Every name and attribute that is read, by its last word."""
        found: dict[str, list[tuple[Module, ast.Name | ast.Attribute]]] = {}
        for module, node in self.places.nodes:
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
                found.setdefault(node.id, []).append((module, node))
            elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load):
                found.setdefault(node.attr, []).append((module, node))
        return found

    def of(self, module: Module, function: FunctionNode) -> Uses:
        """The uses of a function.

        Raises:
          CannotFix: a decorator or a second binding hides what the name stands for.
        """
        known = self._uses.get(id(function))
        if known is None:
            known = Uses()
            if isinstance(function, ast.Lambda):
                self._follow(module, function, (), known, set())
            else:
                layers = self._decorated(module, function, known)
                self._follow_definition(module, function, layers, known)
            self._uses[id(function)] = known
        return known

    def _follow_definition(
        self,
        module: Module,
        function: ast.FunctionDef | ast.AsyncFunctionDef,
        layers: tuple[Layer, ...],
        uses: Uses,
    ) -> None:
        owner = self.places.owner(module, function)
        parent = module.parent(function)
        if isinstance(parent, ast.ClassDef):
            place = Place("attribute", id(parent), function.name)
        elif isinstance(owner, ast.Module):
            place = Place("module", module.path, function.name)
        else:
            place = Place("local", id(owner), function.name)
        self._follow_place(place, function, layers, uses, set())

    def _decorated(
        self,
        module: Module,
        function: ast.FunctionDef | ast.AsyncFunctionDef,
        uses: Uses,
    ) -> tuple[Layer, ...]:
        layers: list[Layer] = []
        for decorator in reversed(function.decorator_list):
            name = self.transform_name(module, decorator)
            if name is None:
                text = ast.unparse(decorator)
                if text.rpartition(".")[2] in ("property", "cached_property"):
                    raise CannotFix(f"the property `{function.name}` takes no argument")
                raise CannotFix(f"it is not known what `@{text}` makes of the function")
            if name in ("staticmethod", "classmethod"):
                continue
            layers.append(Layer(decorator, module, name))
        uses.layers += layers
        return tuple(layers)

    def transform_name(self, module: Module, node: ast.expr) -> str | None:
        """The transform that a decorator or a callee applies to a function."""
        name = self.library(module, node)
        if name in KEEPS_ARGUMENTS or name in ("staticmethod", "classmethod"):
            return name
        if isinstance(node, ast.Call):
            callee = self.library(module, node.func)
            if callee == "functools.partial" and node.args:
                inner = self.library(module, node.args[0])
                return inner if inner in KEEPS_ARGUMENTS else None
            return callee if callee in KEEPS_ARGUMENTS else None
        return None

    def library(self, module: Module, node: ast.expr) -> str | None:
        """The dotted name of a library function that an expression names."""
        tables = self.facts.interpreter
        for table in (tables.host, tables.traced):
            if isinstance(value := table.get(id(node)), Lib):
                return value.name
        match node:
            case ast.Name(id=name):
                value = module.globals.get(name)
                if isinstance(value, Lib):
                    return value.name
                return name if value is None else None
            case ast.Attribute(value=inner, attr=attr):
                base = self.library(module, inner)
                return f"{base}.{attr}" if base is not None else None
            case _:
                return None

    # --- following

    def _follow_place(
        self,
        place: Place,
        definition: ast.AST,
        layers: tuple[Layer, ...],
        uses: Uses,
        seen: set[int],
    ) -> None:
        self._require_one_binding(place, definition)
        for module, node in self.loads(place):
            if id(node) not in seen:
                seen.add(id(node))
                self._follow(module, node, layers, uses, seen)

    def loads(self, place: Place) -> Iterator[tuple[Module, ast.Name | ast.Attribute]]:
        """Where a variable or attribute is read, under whatever name."""
        names = {place.name, *self.places.aliases_of(place.name)}
        for name in sorted(names):
            for module, node in self._loads.get(name, ()):
                found = self.places.place(module, node)
                if found is None or found.path:
                    if self._may_be(place, module, node):
                        text = ast.unparse(node)
                        raise CannotFix(
                            f"`{text}` on line {node.lineno} may be another use of it"
                        )
                    continue
                origin = self.places.origin(found)
                if place.kind == "attribute" and found.kind == "attribute":
                    if found.name == place.name and self.places.related(
                        found.owner, place.owner
                    ):
                        yield module, node
                elif origin == place:
                    yield module, node

    def _may_be(
        self, place: Place, module: Module, node: ast.Name | ast.Attribute
    ) -> bool:
        """Is it an attribute of this name, of an object that we know nothing of?"""
        if place.kind != "attribute" or not isinstance(node, ast.Attribute):
            return False
        if node.attr != place.name:
            return False
        tables = self.facts.interpreter
        known = tables.host.get(id(node.value)) or tables.traced.get(id(node.value))
        name = type(known).__name__ if known is not None else "Unknown"
        return name == "Unknown" and place.name.startswith("_")

    def _require_one_binding(self, place: Place, definition: ast.AST) -> None:
        for change in self.places.of(place):
            if not change.rebinds or change.node is definition:
                continue
            parent = change.module.parent(change.node)
            value = parent.value if isinstance(parent, ast.Assign) else None
            if parent is definition:
                continue
            if isinstance(value, ast.Call) and any(
                isinstance(n, ast.Name) and n.id == place.name for n in ast.walk(value)
            ):
                continue  # `f = jax.jit(f)`
            raise CannotFix(f"`{place.name}` is bound more than once")

    def _follow(
        self,
        module: Module,
        node: ast.expr,
        layers: tuple[Layer, ...],
        uses: Uses,
        seen: set[int],
    ) -> None:
        owner = self.places.owner(module, node)
        parent = module.parent(node)
        use = Use(node, module, owner, layers)
        if isinstance(parent, ast.keyword):
            self._follow_argument(use, module.parent(parent), uses, seen)
            return
        match parent:
            case ast.Call(func=func) if func is node:
                uses.calls.append(Use(parent, module, owner, layers))
            case ast.Call():
                self._follow_argument(use, parent, uses, seen)
            case ast.Assign(targets=[ast.Name() | ast.Attribute() as target]):
                place = self.places.place(module, target)
                if place is None or place.path:
                    uses.escapes.append(use)
                else:
                    self._follow_place(place, parent, layers, uses, seen)
            case ast.Attribute(attr=attr):
                outer = module.parent(parent)
                if attr in LOWERING and isinstance(outer, ast.Call):
                    uses.calls.append(Use(outer, module, owner, layers))
                elif attr not in HARMLESS:
                    uses.escapes.append(use)
            case ast.Expr():
                pass
            case _ if isinstance(parent, FUNCTIONS) and node in getattr(
                parent, "decorator_list", ()
            ):
                uses.escapes.append(use)
            case _:
                uses.escapes.append(use)

    def _follow_argument(
        self, use: Use, call: ast.AST | None, uses: Uses, seen: set[int]
    ) -> None:
        """The function is an argument: of a transform, of `partial`, or of anything."""
        assert isinstance(call, ast.Call), "arguments are those of calls"
        module = use.module
        is_first = call.args[:1] == [use.node] or any(
            k.value is use.node and k.arg in ("fun", "f") for k in call.keywords
        )
        name = self.library(module, call.func)
        if name is None and self._is_partial_transform(module, call.func):
            name = self.transform_name(module, call.func)
        if is_first and name in KEEPS_ARGUMENTS:
            layer = Layer(call, module, name)
            uses.layers.append(layer)
            self._follow(module, call, (*use.layers, layer), uses, seen)
        elif is_first and name == PARTIAL:
            layer = Layer(call, module, PARTIAL)
            uses.partials.append(layer)
            self._follow(module, call, (*use.layers, layer), uses, seen)
        elif is_first and name in WRAPPERS:
            uses.escapes.append(use)
        else:
            uses.passed.append(use)

    def _is_partial_transform(self, module: Module, node: ast.expr) -> bool:
        value = self.facts.interpreter.host.get(id(node))
        return isinstance(value, PartialValue)
