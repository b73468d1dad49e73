"""From captured to passed: which functions get an argument, and who hands it over.

The compiled functions that read a captured variable get it as a parameter. Every call
of them hands it over: compiled code its own parameter, the host the variable as it is
then. Where the host's calls cannot all be seen, the compiled function goes behind a
small function of the old name and signature, which reads the variable at each call.
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TypeGuard

from .captures import Capture, Captures
from .changes import FUNCTIONS, Place, ScopeNode, is_first_parameter
from .closures import moved_names
from .dict_order import order_matters
from .facts import Function
from .finding import CannotFix
from .given import given_by
from .objects import (
    BoundValue,
    FunctionNode,
    PartialValue,
    TransformedValue,
    is_data,
    is_setting,
)
from .overrides import same_attribute, versions
from .project import Module
from .scopes import free_names, scope_names
from .transform_names import GRAD
from .uses import MAPPING, CallSites, Layer, Use, Uses
from .values import Array, Static, Unknown, Value, alternatives, is_none, join

DECLARES_STATIC = frozenset({"jax.jit", "jax.pjit"})
STATIC_POSITIONS = (ast.If, ast.While, ast.IfExp, ast.Assert)


@dataclass(frozen=True, slots=True, eq=False)
class Item:
    """One value that becomes an argument: what it is called, and where it is read.

    `root` is the variable that the host names, None for the receiver of a method, and
    `tail` what follows on it. `sample` is one of the reads. `is_shared`: every module
    that imports the name has the same object, since nobody binds it anew. `owner_name`:
    the variable's module. `needs`: the functions that get it, by identity.
    `is_setting`: Python needs the value while JAX traces.
    """

    root: Place | None
    tail: str
    name: str
    sample: ast.expr
    reads: tuple[tuple[Module, ast.expr], ...]
    is_shared: bool
    owner_name: str
    needs: frozenset[int] = frozenset()
    is_setting: bool = False

    @property
    def is_own(self) -> bool:
        return self.root is None


@dataclass(frozen=True, slots=True, eq=False)
class Parameters:
    """A function, and the items that it gets as parameters, in order.

    `before_defaults`: they go after those that every call passes, and before the rest,
    which no call passes.
    """

    function: FunctionNode
    module: Module
    items: tuple[Item, ...]
    keyword_only: bool
    before_defaults: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Handover:
    """A call that hands the items over; from compiled code by the parameters' names."""

    use: Use
    items: tuple[Item, ...]
    from_compiled: bool
    by_keyword: bool


@dataclass(frozen=True, slots=True, eq=False)
class Shield:
    """A compiled function that goes behind a function of its old name and signature."""

    parameters: Parameters
    layer: Layer


@dataclass(frozen=True, slots=True, eq=False)
class Hoist:
    """All that has to change so that some captured values become arguments.

    `static`: the new parameters that a jit has to declare static. `mapped`: with how
    many arguments partials have bound before the mapping.
    """

    parameters: tuple[Parameters, ...]
    handovers: tuple[Handover, ...]
    bound: tuple[tuple[Use, tuple[Item, ...]], ...]
    mapped: tuple[tuple[Layer, Parameters, int], ...]
    shields: tuple[Shield, ...]
    is_public: bool
    static: tuple[tuple[Layer, tuple[str, ...]], ...] = ()

    @property
    def items(self) -> tuple[Item, ...]:
        return tuple(dict.fromkeys(i for p in self.parameters for i in p.items))

    @property
    def key(self) -> str:
        """The same for all captures that one plan mends."""
        functions = [p.function for p in self.parameters]
        return f"hoist {sorted(id(f) for f in functions)}"

    @property
    def title(self) -> str:
        names = [f"`{ast.unparse(i.sample)}`" for i in self.items]
        functions = [
            f"`{getattr(p.function, 'name', '<lambda>')}`" for p in self.parameters
        ]
        verb = "becomes an argument" if len(names) == 1 else "become arguments"
        return f"{listed(names)} {verb} of {listed(functions)}"


@dataclass(frozen=True, slots=True)
class Variable:
    """What is followed as one: a variable, or an attribute of one object.

    `root` None: the receiver of the method in which it is read.
    """

    place: Place
    root: Place | None
    tail: str = ""


@dataclass(slots=True, eq=False)
class Draft:
    """A variable on its way to become an argument."""

    variable: Variable
    captures: list[Capture]
    reads: list[tuple[Module, ast.expr, FunctionNode]]
    needs: dict[int, FunctionNode] = field(default_factory=dict)
    obstacle: str = ""


class Hoisting:
    """Plans the fixes of all captures of a project."""

    def __init__(self, captures: Captures) -> None:
        self.captures = captures
        self.facts = captures.facts
        self.places = captures.places
        self.sites = CallSites(self.facts, self.places)
        self._own: dict[str, list[Place]] = {}

    # --- which variables, and which functions need them

    @cached_property
    def drafts(self) -> dict[Variable, Draft]:
        found: dict[Variable, Draft] = {}
        for capture in self.captures.all.values():
            if capture.kept is not None:
                continue
            for read in capture.reads:
                variable = self.variable(capture.module, read, capture.place)
                draft = found.setdefault(variable, Draft(variable, [], []))
                draft.captures.append(capture)
        for key in self.captures.compiled:
            value = self.facts.interpreter.functions.get(key)
            if value is None:
                continue
            for (place, _), reads in self.captures.reads(value).items():
                for read in reads:
                    variable = self.variable(value.module, read, place)
                    if variable in found:
                        found[variable].reads.append((value.module, read, value.node))
        for draft in found.values():
            try:
                self._find_needs(draft)
            except CannotFix as error:
                draft.obstacle = str(error)
        return found

    def variable(self, module: Module, read: ast.expr, place: Place) -> Variable:
        if place.kind != "attribute":
            return Variable(place.variable, place.variable)
        name: ast.expr = strip(read)
        tail = ""
        while isinstance(name, ast.Attribute | ast.Subscript):
            if isinstance(name, ast.Attribute):
                tail = f".{name.attr}{tail}"
            name = name.value
        root = self.places.place(module, name)
        scope = self.places.functions.get(int(root.owner)) if is_local(root) else None
        is_own = scope is not None and id(scope) in self.captures.compiled
        if not is_own:
            return Variable(place.variable, root, tail)
        return Variable(self.own_place(place.variable), None, tail)

    def own_place(self, place: Place) -> Place:
        """One place for an attribute that methods of a class and of a base read."""
        known = self._own.setdefault(place.name, [])
        for one in known:
            if same_attribute(self.places, one, place):
                return one
        known.append(place)
        return place

    def _find_needs(self, draft: Draft) -> None:
        for function in self.needing(draft.variable, (f for _, _, f in draft.reads)):
            draft.needs[id(function)] = function
            self._require_receiver(draft, function)
            self._require_attribute(draft, function)

    def needing(
        self, variable: Variable, readers: Iterable[FunctionNode]
    ) -> list[FunctionNode]:
        """The functions that read a variable, and those that call one that does."""
        found: dict[int, FunctionNode] = {}
        todo = [self.outermost(self.module_of(f), f, variable) for f in readers]
        while todo:
            function = todo.pop()
            if id(function) in found:
                continue
            found[id(function)] = function
            uses = self.sites.of(self.module_of(function), function)
            for use in (*uses.calls, *uses.passed):
                if id(use.owner) in self.captures.compiled:
                    assert not isinstance(use.owner, ast.Module), "it is compiled"
                    todo.append(self.outermost(use.module, use.owner, variable))
        return [*found.values()]

    def _require_attribute(self, draft: Draft, function: FunctionNode) -> None:
        """The object of a method has the attribute, even if its class has heirs."""
        value = self.facts.interpreter.functions[id(function)]
        if draft.variable.root is not None or value.owner is None:
            return
        place = draft.variable.place
        bases = self.places.bases(id(value.owner.node))
        owners = [c.place.owner for c in self.places.of(place)]
        readers = [id(m.parent(f)) for m, _, f in draft.reads]
        if not any(owner in bases for owner in (*owners, *readers)):
            text = f"self{draft.variable.tail}"
            raise CannotFix(f"`{value.owner.name}` may have no `{text}`")

    def outermost(
        self, module: Module, function: FunctionNode, variable: Variable
    ) -> FunctionNode:
        """The compiled function around all others of the program that see the name."""
        found = function
        for outer in self.places.chain(module, function)[1:]:
            if isinstance(outer, ast.Module) or id(outer) not in self.captures.compiled:
                break
            if variable.root is not None and id(outer) == variable.root.owner:
                break
            found = outer
        return found

    def module_of(self, function: FunctionNode) -> Module:
        value = self.facts.interpreter.functions[id(function)]
        return value.module

    def _require_receiver(self, draft: Draft, function: FunctionNode) -> None:
        """Compiled code calls a method on the object whose attribute is passed."""
        if draft.variable.root is not None:
            return
        uses = self.sites.of(self.module_of(function), function)
        for use in uses.calls:
            call = use.node
            if not self.is_compiled(use) or not isinstance(call, ast.Call):
                continue
            if not self.is_own(use, call.func):
                text = ast.unparse(call.func)
                raise CannotFix(f"`{text}` may be a method of another object")
        for use in uses.passed:
            if not self.is_compiled(use) or not self.is_own(use, use.node):
                raise CannotFix("the method is passed on as a value")

    def is_own(self, use: Use, method: ast.expr) -> bool:
        """Is it a method of the object of the method that it is used in?"""
        method = function_in(method)
        receiver = method.value if isinstance(method, ast.Attribute) else None
        return isinstance(receiver, ast.Name) and any(
            isinstance(m, FUNCTIONS)
            and is_first_parameter(m, receiver.id)
            and self.places.class_of_method(use.module, m) is not None
            for m in self.places.chain(use.module, use.owner)
        )

    # --- one plan for all variables that meet in one function

    def group(self, capture: Capture) -> list[Draft]:
        variable = self.variable(capture.module, capture.node, capture.place)
        first = self.drafts[variable]
        chosen, functions = [first], set(first.needs)
        grew = True
        while grew:
            grew = False
            for draft in self.drafts.values():
                if draft not in chosen and functions & draft.needs.keys():
                    chosen.append(draft)
                    functions |= draft.needs.keys()
                    grew = True
        return sorted(chosen, key=lambda d: list(self.drafts).index(d.variable))

    def plan(self, capture: Capture) -> Hoist:
        """What to change so that a capture and those that it meets become arguments.

        Raises:
          CannotFix: the value cannot be an argument, or not all uses can be followed.
        """
        if capture.kept is not None:
            raise CannotFix(f"{capture.kept.words}: pass it at the calls")
        drafts = self.group(capture)
        for draft in drafts:
            if draft.obstacle:
                raise CannotFix(draft.obstacle)
        found = dict(pair for d in drafts for pair in d.needs.items())
        functions = dict(sorted(found.items(), key=lambda pair: self.order(pair[1])))
        taken = set().union(*(scope_names(f) for f in functions.values()))
        items: dict[Variable, tuple[Item, ...]] = {
            d.variable: self.items(d, taken) for d in drafts
        }
        made: dict[int, Parameters] = {}
        for key, function in functions.items():
            mine = tuple(
                i
                for d in drafts
                if key in d.needs
                for i in items[d.variable]
                if key in i.needs
            )
            made[key] = self.parameters(function, mine)
        return self.assemble(made)

    def order(self, function: FunctionNode) -> tuple[str, int, int]:
        path = self.module_of(function).path
        return (path, function.lineno, function.col_offset)

    def items(self, draft: Draft, taken: set[str]) -> tuple[Item, ...]:
        """The values to pass for one variable: the whole of it, or the keys read."""
        place = draft.variable.place
        whole = [(m, self.holder(m, r, place)) for m, r, _ in draft.reads]
        if any(self.is_data(m, r) for m, r in whole) or self.is_setting(draft, place):
            try:
                return (self.item(draft, place, whole, taken),)
            except CannotFix:
                # Python needs one of the items: that one alone can be static.
                if any(
                    r is read
                    for (_, r), (_, read, _) in zip(whole, draft.reads, strict=True)
                ):
                    raise
        by_key: dict[Place, list[tuple[Module, ast.expr]]] = {}
        readers: dict[Place, list[FunctionNode]] = {}
        for where, read, function in draft.reads:
            part = self.captures.place(where, read)
            if part is not None and same_attribute(self.places, part.variable, place):
                part = replace(part, owner=place.owner)
            parent = where.parent(read)
            if part == place and isinstance(parent, ast.Attribute):
                read, part = parent, replace(place, path=(f".{parent.attr}",))
            if part is None or not part.path or part == place:
                raise CannotFix(not_data(strip(read)))
            by_key.setdefault(part, []).append((where, read))
            readers.setdefault(part, []).append(function)
        return tuple(
            replace(
                self.item(draft, part, reads, taken),
                needs=frozenset(map(id, self.needing(draft.variable, readers[part]))),
            )
            for part, reads in by_key.items()
        )

    def holder(self, module: Module, read: ast.expr, variable: Place) -> ast.expr:
        """The variable in a read of a part of what it holds."""
        while isinstance(read, ast.Attribute | ast.Subscript):
            place = self.places.place(module, read)
            if place is not None and same_attribute(self.places, place, variable):
                break
            read = read.value
        return read

    def item(
        self,
        draft: Draft,
        place: Place,
        reads: list[tuple[Module, ast.expr]],
        taken: set[str],
    ) -> Item:
        is_setting = False
        try:
            if not any(self.is_data(where, read) for where, read in reads):
                raise CannotFix(not_data(reads[0][1]))
            for where, read in reads:
                self.require_dynamic(where, read)
                if order_matters(self.facts, where, read):
                    text = f"`{ast.unparse(read)}` is a dict whose order matters"
                    raise CannotFix(f"{text}: JAX sorts the keys of an argument")
        except CannotFix:
            is_setting = self.is_setting(draft, place)
            if not is_setting:
                raise
        sample = reads[0][1]
        name = self.parameter_name(place, sample, taken)
        taken.add(name)
        root = draft.variable.root
        shared = root is not None and self.is_shared(root)
        root = self.places.origin(root) if root is not None and shared else root
        owner = self.facts.project.by_path.get(str(root.owner)) if root else None
        tail = draft.variable.tail + "".join(path_text(part) for part in place.path)
        return Item(
            root,
            tail,
            name,
            sample,
            tuple(reads),
            shared,
            owner.name if owner else "",
            frozenset(draft.needs),
            is_setting,
        )

    def is_setting(self, draft: Draft, place: Place) -> bool:
        """Is a module's variable, an item of it, or an attribute of the receiver given
        few values that can be static?

        A program is compiled for each of them. What is counted up or handed out by a
        loop has too many.
        """
        root = draft.variable.root
        if root is None and place.kind == "attribute":
            origin = place
        elif root is None or draft.variable.tail or root.kind != "module":
            return False
        else:
            origin = replace(self.places.origin(root), path=place.path)
        interpreter = self.facts.interpreter
        for change in self.places.of(origin):
            given = given_by(change, place.path)
            if given is None:
                return False
            for value in given:
                found = interpreter.seen(value)
                if not found or not all(map(is_setting, found)):
                    return False
        return True

    def is_shared(self, root: Place) -> bool:
        """Does every module that imports the variable have the same object?"""
        origin = self.places.origin(root)
        return sum(c.rebinds for c in self.places.of(origin)) <= 1

    def parameter_name(self, place: Place, sample: ast.expr, taken: set[str]) -> str:
        """A name that a reader would choose, and that nothing in the functions uses."""
        own = isinstance(sample, ast.Name) and not place.path
        base = str(place.name).strip("_")
        last = place.path[-1] if place.path else None
        if isinstance(last, tuple):
            key = str(last[0])
            base = key if key.isidentifier() else f"{base}_{key}"
        elif isinstance(last, str):
            base = last.strip(".")
        base = base.lower() if base.isupper() else base
        if not base.isidentifier():
            base = "value"
        if own and base == place.name:
            return base
        name, count = base, 0
        while name in taken:
            count += 1
            name = f"{base}_{count}"
        return name

    def is_data(self, module: Module, node: ast.expr) -> bool:
        """Is it made of numbers and arrays, as far as can be seen?"""
        found = self.facts.interpreter.seen(node)
        if any(is_data(value) for value in map(without_none, found)):
            return True
        options = [o for value in found for o in alternatives(value)]
        is_open = any(isinstance(o, Unknown) or o == Static() for o in options)
        return is_open and self.is_operand(module, node)

    def is_operand(self, module: Module, node: ast.expr) -> bool:
        """Is it used as only a number or an array can be?"""
        match module.parent(node):
            case ast.BinOp(left=left, op=op, right=right):
                other = right if left is node else left
                value = self.facts.interpreter.traced.get(id(other))
                is_open = isinstance(op, ast.Mod | ast.Add | ast.Mult)
                return not is_open or isinstance(value, Array)
            case ast.UnaryOp(op=ast.USub()):
                return True
            case ast.Call(func=func, args=args) if node in args:
                name = self.sites.library(module, func) or ""
                return name.startswith("jax.numpy.")
            case _:
                return False

    def require_dynamic(self, module: Module, read: ast.expr) -> None:
        """A tracer will do where the value is read.

        Raises:
          CannotFix: Python itself must know the value there.
        """
        below: ast.AST = read
        for outer in module.ancestors(read):
            if is_none_test(outer):
                return
            if isinstance(outer, STATIC_POSITIONS) and outer.test is below:
                raise CannotFix(f"Python branches on `{ast.unparse(read)}`")
            if isinstance(outer, ast.Slice) or (
                isinstance(outer, ast.Call) and is_shape_argument(outer, below)
            ):
                raise CannotFix(f"`{ast.unparse(read)}` is a size or an axis")
            if isinstance(outer, ast.JoinedStr | ast.stmt):
                return
            below = outer

    def parameters(self, function: FunctionNode, items: tuple[Item, ...]) -> Parameters:
        spec = function.args
        keyword_only = bool(
            spec.vararg or spec.kwonlyargs or spec.kwarg or spec.defaults
        )
        before = self.goes_before_defaults(function)
        return Parameters(
            function,
            self.module_of(function),
            items,
            keyword_only and not before and not self.goes_before_keywords(function),
            before,
        )

    def goes_before_keywords(self, function: FunctionNode) -> bool:
        """Has a mapped function, besides positions, only what is passed by keyword?"""
        spec = function.args
        if spec.vararg or spec.kwarg or spec.defaults:
            return False
        uses = self.sites.of(self.module_of(function), function)
        return any(layer.name in MAPPING for layer in uses.layers)

    def goes_before_defaults(self, function: FunctionNode) -> bool:
        """Does a mapped function, which takes no keywords, leave out its defaults?"""
        spec = function.args
        value = self.facts.interpreter.functions.get(id(function))
        if spec.vararg or spec.kwonlyargs or spec.kwarg or not spec.defaults:
            return False
        if value is None or value.owner is not None or isinstance(function, ast.Lambda):
            return False
        uses = self.sites.of(value.module, function)
        count = len(spec.posonlyargs) + len(spec.args) - len(spec.defaults)
        if uses.passed or uses.escapes:
            return False
        return (
            any(layer.name in MAPPING for layer in uses.layers)
            and all(keeps_places(layer, count) for layer in uses.layers)
            and all(passes_only(use, count) for use in uses.calls)
        )

    # --- the uses of all functions

    def assemble(self, made: dict[int, Parameters]) -> Hoist:
        handovers: list[Handover] = []
        bound: list[tuple[Use, tuple[Item, ...]]] = []
        mapped: list[tuple[Layer, Parameters, int]] = []
        shields: dict[int, Shield] = {}
        static: dict[int, tuple[Layer, tuple[str, ...]]] = {}
        is_public = False
        for parameters in made.values():
            uses = self.sites.of(parameters.module, parameters.function)
            self.require_plain(uses.layers)
            static |= settings_of(parameters, uses)
            mine = self.shields(parameters, uses)
            if mine and parameters.before_defaults:
                raise CannotFix("`jax.vmap` maps over every keyword argument")
            shields |= mine
            passed = [u for u in uses.passed if self.is_compiled(u)]
            bound += [(bound_use(use), parameters.items) for use in passed]
            inside = {id(n) for use in passed for n in layers_in(use)}
            for use in uses.calls:
                if not any(id(layer.node) in mine for layer in use.layers):
                    self.require_versions(parameters, made)
                    handovers.append(self.handover(parameters, use))
                    is_public = is_public or self.is_api(parameters)
                elif self.is_compiled(use):
                    raise CannotFix(
                        "compiled code calls it too, and not all of its other uses can"
                        " be followed"
                    )
            outside = layers_outside(parameters, uses, mine)
            around = [
                (layer, parameters, bound_inside(uses, layer) + self.receivers(layer))
                for layer in uses.layers
                if layer.name in MAPPING and id(layer.node) not in {*outside, *inside}
            ]
            if around and mine and parameters.keyword_only:
                raise CannotFix("`jax.vmap` maps over every keyword argument")
            mapped += around
        return Hoist(
            tuple(made.values()),
            one_each(handovers),
            tuple(bound),
            tuple(mapped),
            tuple(shields.values()),
            is_public,
            tuple(static.values()),
        )

    def receivers(self, layer: Layer) -> int:
        """How many arguments does the function that a call transforms have already?

        Raises:
          CannotFix: a method may be bound to its object there, or not.
        """
        found = {
            is_bound_method(option)
            for value in self.facts.interpreter.seen(function_in(layer.node))
            for option in alternatives(value)
        }
        if len(found) > 1:
            raise CannotFix("a method is mapped with its object, and without")
        return int(found == {True})

    def require_versions(
        self, parameters: Parameters, made: dict[int, Parameters]
    ) -> None:
        """A call on `self` may run another version, which must take the items too."""
        for other in versions(self.facts, self.places, parameters.function):
            known = made.get(id(other))
            if known is None or known.items != parameters.items:
                name = getattr(other, "name", "")
                raise CannotFix(f"another version of `{name}` does not need the values")

    def shields(self, parameters: Parameters, uses: Uses) -> dict[int, Shield]:
        """What must go behind a function of its old signature, by the layer's node."""
        found: dict[int, Shield] = {}
        for use in (*uses.passed, *uses.escapes):
            if use in uses.escapes or not self.is_compiled(use):
                found |= self.shield(parameters, use)
        for use in uses.calls:
            if self.is_compiled(use):
                continue
            keeps_method = use.compiled_by is not None and any(
                item.is_own for item in parameters.items
            )
            if keeps_method or not self.can_spell(use, parameters):
                found |= self.shield(parameters, use)
        if not (uses.calls or uses.passed or uses.escapes):
            if uses.partials:
                raise CannotFix("a partial binds some of its arguments before `jit`")
            found |= self.shield_root(parameters, uses.layers)
        for one in found.values():
            self.require_visible(one)
        return found

    def require_visible(self, shield: Shield) -> None:
        """The new function must see the variables where it stands."""
        layer = shield.layer
        owner = self.places.owner(layer.module, layer.node)
        use = Use(layer.node, layer.module, owner, ())
        for item in shield.parameters.items:
            if not item.is_own and not self.is_visible(item, use):
                text = ast.unparse(item.sample)
                raise CannotFix(
                    f"`{text}` cannot be named where the function is jitted"
                )

    def is_compiled(self, use: Use) -> bool:
        return id(use.owner) in self.captures.compiled

    def require_plain(self, layers: Sequence[Layer]) -> None:
        """Options of transforms that count arguments from the end, or all of them."""
        for layer in layers:
            options = layer.node.keywords if isinstance(layer.node, ast.Call) else []
            for option in options:
                if option.arg in ("in_shardings", "in_specs", "axis_size"):
                    raise CannotFix(f"`{option.arg}` lists the arguments")
                if option.arg in ("static_argnums", "donate_argnums", "argnums") and (
                    any(isinstance(n, ast.USub) for n in ast.walk(option.value))
                ):
                    raise CannotFix(f"`{option.arg}` counts from the end")

    def handover(self, parameters: Parameters, use: Use) -> Handover:
        call = use.node
        assert isinstance(call, ast.Call), "a use that is called"
        starred = any(isinstance(a, ast.Starred) for a in call.args)
        by_keyword = parameters.keyword_only or bool(call.keywords) or starred
        by_keyword = by_keyword or binds_position(parameters, use)
        if by_keyword and use.is_mapped:
            raise CannotFix("`jax.vmap` maps over every keyword argument")
        return Handover(use, parameters.items, self.is_compiled(use), by_keyword)

    def can_spell(self, use: Use, parameters: Parameters) -> bool:
        """Can the host name the items where it calls the function?"""
        return all(self.is_visible(item, use) for item in parameters.items)

    def is_visible(self, item: Item, use: Use) -> bool:
        place = item.root
        chain = self.places.chain(use.module, use.owner)
        if place is None:
            return self.receiver(use) is not None
        if place.kind == "local":
            if not any(id(scope) == place.owner for scope in chain):
                return False
            inner = chain[: [id(s) for s in chain].index(int(place.owner))]
            return not any(binds(self, s, place.name) for s in inner)
        hidden = any(
            binds(self, s, place.name) for s in chain if not isinstance(s, ast.Module)
        )
        if use.module.path == place.owner:
            return not hidden
        if self.is_imported_by_name(place, use.module):
            return item.is_shared and not hidden
        return True

    def is_imported_by_name(self, variable: Place, module: Module) -> bool:
        for name, stmt in self.places.imports(module.tree).items():
            if isinstance(stmt, ast.ImportFrom):
                place = Place("module", module.path, name)
                if self.places.origin(place) == variable:
                    return True
        return False

    def receiver(self, use: Use) -> ast.expr | None:
        """The object whose attribute the item is, where a bound method is called."""
        call = use.node
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
            return None
        receiver = call.func.value
        return receiver if isinstance(receiver, ast.Name) else None

    def is_api(self, parameters: Parameters) -> bool:
        """May code outside of the project call the function?"""
        name = getattr(parameters.function, "name", "_")
        module = parameters.module
        is_package = "." in module.name or module.is_package
        top = isinstance(self.places.owner(module, parameters.function), ast.Module)
        return is_package and top and not name.startswith("_")

    # --- closures that a rewritten loop cannot keep

    def late(self, fn: Function, closure: FunctionNode) -> Hoist:
        """A function gets the names that a traced loop after it changes as arguments.

        Raises:
          CannotFix: it is used as a value, or a call cannot hand them over.
        """
        uses = self.sites.of(fn.module, closure)
        if uses.passed or uses.escapes or uses.layers:
            raise CannotFix("the function is used as a value")
        items = tuple(late_item(fn, closure, n) for n in late_names(fn, closure))
        parameters = self.parameters(closure, items)
        handovers = tuple(self.handover(parameters, use) for use in uses.calls)
        if not all(h.from_compiled for h in handovers):
            raise CannotFix("it is called from outside of the compiled code")
        return Hoist((parameters,), handovers, (), (), (), False)

    # --- shields

    def shield(self, parameters: Parameters, use: Use) -> dict[int, Shield]:
        layer = use.compiled_by
        if layer is None:
            name = getattr(parameters.function, "name", "the lambda")
            raise CannotFix(
                f"`{name}` is passed on as a value, and not all its calls can be seen"
            )
        if use.partials_in(layer):
            raise CannotFix("a partial binds some of its arguments before `jit`")
        return {id(layer.node): Shield(parameters, layer)}

    def shield_root(
        self, parameters: Parameters, layers: Sequence[Layer]
    ) -> dict[int, Shield]:
        """Nobody in the project calls it: its users keep their calls as they are."""
        layer = next((one for one in reversed(layers) if one.compiles), None)
        if layer is None:
            raise CannotFix("no call of it can be seen")
        return {id(layer.node): Shield(parameters, layer)}


def one_each(handovers: Iterable[Handover]) -> tuple[Handover, ...]:
    """A call that may run several versions of a method hands the items over once.

    Raises:
      CannotFix: the versions need different items.
    """
    found: dict[int, Handover] = {}
    for one in handovers:
        known = found.setdefault(id(one.use.node), one)
        if known.items != one.items:
            text = ast.unparse(getattr(one.use.node, "func", one.use.node))
            raise CannotFix(f"`{text}` runs functions that need different values")
        if one.by_keyword:
            found[id(one.use.node)] = one
    return tuple(found.values())


def binds_position(parameters: Parameters, use: Use) -> bool:
    """Has a partial bound a parameter by keyword that a position after it would hit?"""
    spec = parameters.function.args
    names = {a.arg for a in (*spec.posonlyargs, *spec.args)}
    return bool(use.bound_names & {None, *names})


def bound_inside(uses: Uses, layer: Layer) -> int:
    """How many arguments partials have bound by position before a transform.

    Raises:
      CannotFix: not the same in all uses, or there is no telling.
    """
    counts: set[int] = set()
    for use in (*uses.calls, *uses.passed, *uses.escapes):
        if not any(one.node is layer.node for one in use.layers):
            continue
        given = [a for call in use.partials_in(layer) for a in call.args[1:]]
        if any(isinstance(a, ast.Starred) for a in given):
            raise CannotFix("a partial binds arguments with `*`")
        counts.add(len(given))
    if len(counts) > 1:
        raise CannotFix("partials bind several numbers of arguments")
    return counts.pop() if counts else 0


def function_in(node: ast.expr) -> ast.expr:
    """The `f` of `jax.vmap(jax.grad(f))`."""
    while isinstance(node, ast.Call) and node.args:
        node = node.args[0]
    return node


def layers_in(use: Use) -> list[ast.expr]:
    """The mappings around a function that is passed on: what is bound goes inside.

    Raises:
      CannotFix: they are not written there.
    """
    if not use.is_mapped:
        return []
    written = {id(n) for n in ast.walk(use.node)}
    found = [layer.node for layer in use.layers if layer.name in MAPPING]
    if not all(id(node) in written for node in found):
        raise CannotFix("`jax.vmap` maps over every keyword argument")
    return found


def bound_use(use: Use) -> Use:
    return replace(use, node=function_in(use.node)) if layers_in(use) else use


def is_bound_method(value: Value) -> bool:
    """Is it a method of an object, below the transforms and partials around it?"""
    while isinstance(value, TransformedValue | PartialValue):
        value = value.function
    return isinstance(value, BoundValue)


def keeps_places(layer: Layer, count: int) -> bool:
    """Do the options of a transform speak of the first `count` parameters alone?"""
    options = layer.node.keywords if isinstance(layer.node, ast.Call) else []
    for option in options:
        if option.arg in ("static_argnums", "donate_argnums"):
            return False
        listed = option.arg == "in_axes" and isinstance(option.value, ast.Tuple)
        if listed and len(option.value.elts) != count:  # type: ignore[attr-defined]
            return False
    return True


def passes_only(use: Use, count: int) -> bool:
    call = use.node
    return (
        isinstance(call, ast.Call)
        and len(call.args) == count
        and not call.keywords
        and not any(isinstance(a, ast.Starred) for a in call.args)
    )


def settings_of(
    parameters: Parameters, uses: Uses
) -> dict[int, tuple[Layer, tuple[str, ...]]]:
    """What each jit around a function has to declare static.

    Raises:
      CannotFix: another transform would make arrays of the settings.
    """
    names = tuple(item.name for item in parameters.items if item.is_setting)
    if not names:
        return {}
    for layer in uses.layers:
        if layer.name not in DECLARES_STATIC | GRAD:
            text = f"`{names[0]}` is needed while tracing, which `{layer.name}` hides"
            raise CannotFix(text)
    return {
        id(one.node): (one, names) for one in uses.layers if one.name in DECLARES_STATIC
    }


def layers_outside(
    parameters: Parameters, uses: Uses, shields: dict[int, Shield]
) -> set[int]:
    """The layers that are around a shield, and so see the old signature.

    The decorators of a definition go with it, behind the shield.
    """
    found: set[int] = set()
    for use in (*uses.calls, *uses.passed, *uses.escapes):
        nodes = [id(layer.node) for layer in use.layers]
        cut = [i for i, node in enumerate(nodes) if node in shields]
        found.update(nodes[cut[0] + 1 :] if cut else ())
    own = getattr(parameters.function, "decorator_list", ())
    if any(id(decorator) in shields for decorator in own):
        found -= {id(decorator) for decorator in own}
    return found


def binds(hoisting: Hoisting, scope: ScopeNode, name: str) -> bool:
    if isinstance(scope, ast.Module):
        return False
    return name in hoisting.places.locals_of(scope)


def late_names(fn: Function, closure: FunctionNode) -> tuple[str, ...]:
    """What a closure reads that a loop or a branch on traced values changes later."""
    changed = moved_names(fn, closure)
    return tuple(n for n in free_names(closure) if n in changed)


def late_item(fn: Function, closure: FunctionNode, name: str) -> Item:
    reads = tuple(
        (fn.module, node)
        for node in ast.walk(closure)
        if isinstance(node, ast.Name) and node.id == name
    )
    root = Place("local", id(fn.node), name)
    return Item(root, "", name, reads[0][1], reads, False, "")


def is_none_test(node: ast.AST) -> bool:
    """Is it `x is None`, which asks for the structure of an argument alone?"""
    match node:
        case ast.Compare(
            ops=[ast.Is() | ast.IsNot()], comparators=[ast.Constant(None)]
        ):
            return True
        case _:
            return False


def without_none(value: Value) -> Value:
    """What a variable holds once it has a value: None is a tree of no arrays."""
    rest = [option for option in alternatives(value) if not is_none(option)]
    return functools.reduce(join, rest) if rest else value


def not_data(node: ast.expr) -> str:
    text = ast.unparse(node)
    return f"`{text}` is not known to be a number, an array, or made of such"


def is_local(place: Place | None) -> TypeGuard[Place]:
    return place is not None and place.kind == "local"


def path_text(part: object) -> str:
    """A constant key or an attribute, as it follows on the variable."""
    if not isinstance(part, tuple):
        return str(part)
    key = part[0]
    is_plain = isinstance(key, str) and '"' not in key and key.isprintable()
    return f'["{key}"]' if is_plain and "\\" not in key else f"[{key!r}]"


def strip(read: ast.expr) -> ast.expr:
    """The variable of `settings["a"]["b"]`."""
    while isinstance(read, ast.Subscript):
        read = read.value
    return read


SHAPE_FUNCTIONS = frozenset(
    {
        *("range", "zeros", "ones", "full", "empty", "eye", "arange", "linspace"),
        *("reshape", "broadcast_to", "tile", "repeat", "one_hot", "split", "len"),
        *("isinstance", "top_k"),
    }
)
SHAPE_KEYWORDS = frozenset(
    {"shape", "axis", "axes", "length", "size", "num", "dtype", "ndim", "n", "k"}
)


def is_shape_argument(call: ast.Call, argument: ast.AST) -> bool:
    """Must the argument be known while tracing?"""
    name = call.func.attr if isinstance(call.func, ast.Attribute) else ""
    name = call.func.id if isinstance(call.func, ast.Name) else name
    if isinstance(argument, ast.keyword):
        return argument.arg in SHAPE_KEYWORDS
    if name in ("full", "linspace", "tile", "repeat", "one_hot", "top_k", "reshape"):
        return argument is not call.args[0] if call.args else False
    return name in SHAPE_FUNCTIONS


def listed(names: Iterable[str]) -> str:
    *most, last = dict.fromkeys(names)
    return f"{', '.join(most)} and {last}" if most else last
