"""What compiled functions read from outside, and which changes of it they do not see.

`jax.jit` keys its cache on the function object and its arguments. What the function
reads from elsewhere is read once, while it is traced; a later change is not seen unless
the function object is a new one.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from .changes import FUNCTIONS, Change, Place, Places, ScopeNode, is_first_parameter
from .facts import Facts
from .finding import Evidence
from .kept import Kept, kept
from .objects import (
    BoundValue,
    ClassValue,
    FunctionNode,
    FunctionValue,
    InstanceValue,
    MethodValue,
    ModuleValue,
    PartialValue,
    TransformedValue,
)
from .order import Graph, graph_of
from .project import Module
from .receivers import accesses, root_of, runs_own
from .scopes import MUTATING_METHODS, parameter_names
from .transform_names import COMPILING, WRAPPERS
from .transformed import reason, static_names, underlying
from .values import Dict, Lib, Seq, Union, Unknown, Value, element, type_name

if TYPE_CHECKING:
    from .hoisting import Hoisting

BINDERS = WRAPPERS | {"functools.partial", "functools.wraps", "jax.tree_util.Partial"}


@dataclass(frozen=True, slots=True, eq=False)
class Capture:
    """A place that a compiled function reads and that changes behind its back.

    `reads` are all reads of the place in `function`, first one first. `rejitted`: the
    function is jitted anew after the change, which does not help. `kept`: the place is
    that of the object which a parameter always holds.
    """

    place: Place
    reads: tuple[ast.expr, ...]
    function: FunctionNode
    module: Module
    root: TransformedValue
    change: Change
    rejitted: bool
    kept: Kept | None = None

    @property
    def node(self) -> ast.expr:
        return self.reads[0]

    @property
    def text(self) -> str:
        return ast.unparse(self.node)

    def because(self) -> tuple[Evidence, ...]:
        change = self.change
        where = (
            "at module level"
            if isinstance(change.owner, ast.Module)
            else f"in `{getattr(change.owner, 'name', 'a lambda')}`"
        )
        what = "is assigned again" if change.rebinds else "is changed"
        line = getattr(change.node, "lineno", 1)
        named = self.kept.source if self.kept is not None else self.node
        text = f"`{ast.unparse(named)}` {what} {where}"
        return (
            reason(self.root).evidence,
            Evidence(change.module.path, line, text),
        )


@dataclass(slots=True, eq=False)
class Story:
    """Who calls one compiled function, and who changes what it has read.

    `traces`: by function, the calls of the compiled one. `tracing` and `altering`: the
    functions that get to such a call, or to a change. `site`: where the function object
    is made anew, in the function `home`. `cycles`: what changes it after a call.
    `given`: the changes of what functions, the `takers`, were given. By identity.
    """

    root: TransformedValue
    site: ast.AST | None
    home: ScopeNode | None
    traces: dict[int, list[ast.AST]]
    tracing: dict[int, int]
    changes: list[Change]
    altering: dict[int, Change]
    cycles: set[int] = field(default_factory=set)
    given: frozenset[int] = frozenset()
    takers: frozenset[int] = frozenset()


# A transform, and what it is applied to: `jit(f)` in `def fast(f)` has many functions.
Program = tuple[int, int | None]
# The calls by function, and by function what it gets to: see `Story`.
Callers = tuple[dict[int, list[ast.AST]], dict[int, int]]


class Captures:
    """The captures of a project, found when first asked for."""

    def __init__(self, facts: Facts) -> None:
        self.facts = facts
        self.places = Places(facts)
        self._graphs: dict[int, Graph] = {}
        self._reaching: dict[tuple[int, ...], dict[int, int]] = {}
        self._callers_of: dict[int, Callers] = {}

    @cached_property
    def hoisting(self) -> Hoisting:
        """How the captured values become arguments."""
        from .hoisting import Hoisting  # it is made of captures

        return Hoisting(self)

    # --- who calls whom

    @cached_property
    def calls(self) -> dict[int, list[tuple[ast.expr, tuple[Value, ...]]]]:
        """By the identity of a function or module: its calls, and what they run.

        What reads a property calls it.
        """
        found: dict[int, list[tuple[ast.expr, tuple[Value, ...]]]] = {}
        interpreter = self.facts.interpreter
        for call in interpreter.calls.values():
            if not isinstance(call.node, ast.expr):
                continue
            values = list(call.callees)
            if any(is_opaque(c) for c in call.callees):
                for args, keywords in call.args:
                    values += [*args, *(v for _, v in keywords)]
            ran = tuple(dict.fromkeys(r for v in values for r in run_by(v)))
            if ran:
                owner = self.places.owner(call.module, call.node)
                found.setdefault(id(owner), []).append((call.node, ran))
        for module, node in self.places.nodes:
            if isinstance(node, ast.Call) and id(node) not in interpreter.calls:
                ran = tuple(run_by(self.static_value(module, node.func)))
                if ran:
                    owner = self.places.owner(module, node)
                    found.setdefault(id(owner), []).append((node, ran))
        return found

    def static_value(self, module: Module, node: ast.expr) -> Value | None:
        """What a module's name, or `module.name`, of code that never ran stands for."""
        match node:
            case ast.Name(id=name):
                value = module.globals.get(name)
                if not isinstance(value, FunctionValue | TransformedValue):
                    return None
                binder = self.places.binder(module, node, name)
                return value if isinstance(binder, ast.Module) else None
            case ast.Attribute(value=ast.Name(id=base), attr=attr):
                outer = module.globals.get(base)
                if not isinstance(outer, ModuleValue):
                    return None
                binder = self.places.binder(module, node.value, base)
                is_module = isinstance(binder, ast.Module)
                return outer.module.globals.get(attr) if is_module else None
            case _:
                return None

    @cached_property
    def callers(self) -> dict[int, set[int]]:
        """By a function: the functions and modules that call it."""
        found: dict[int, set[int]] = {}
        for owner, calls in self.called_functions.items():
            for _, keys in calls:
                for key in keys:
                    found.setdefault(key, set()).add(owner)
        return found

    @cached_property
    def ordered_callers(self) -> dict[int, list[int]]:
        """`callers`, but for compiled code, in the order of the source."""
        order = self.order
        return {
            key: sorted(
                (caller for caller in callers if caller not in self.compiled),
                key=lambda caller: order.get(caller, len(order)),
            )
            for key, callers in self.callers.items()
        }

    def graph(self, function: ScopeNode) -> Graph:
        known = self._graphs.get(id(function))
        if known is None:
            known = self._graphs[id(function)] = graph_of(function)
        return known

    # --- compiled code

    @cached_property
    def compiled(self) -> dict[int, list[TransformedValue]]:
        """The functions that run in compiled programs, and the programs."""
        found: dict[int, dict[tuple[int, Value], TransformedValue]] = {}
        for key, transforms in self.facts.interpreter.called.items():
            roots = [r for r in transforms if r.transform in COMPILING]
            for one in self.run_from(key) if roots else ():
                users = found.setdefault(one, {})
                for root in roots:
                    users.setdefault((id(root.node), root.function), root)
        return {key: [*users.values()] for key, users in found.items()}

    def run_from(self, start: int) -> dict[int, None]:
        """The functions that a function runs while JAX traces it, itself first."""
        reached = self.facts.interpreter.reached
        seen: dict[int, None] = {}
        todo = [start]
        while todo:
            one = todo.pop()
            if one not in seen and one in reached:
                seen[one] = None
                for _, keys in self.called_functions.get(one, ()):
                    todo += keys
        return seen

    @cached_property
    def called_functions(self) -> dict[int, list[tuple[ast.expr, list[int]]]]:
        """`calls`, with the identities of the functions that are run.

        A decorator is called where it stands.
        """
        found: dict[int, list[tuple[ast.expr, list[int]]]] = {
            owner: [
                (node, [id(v.node) for v in ran if isinstance(v, FunctionValue)])
                for node, ran in calls
            ]
            for owner, calls in self.calls.items()
        }
        tables = self.facts.interpreter
        for module, node in self.places.nodes:
            for decorator in getattr(node, "decorator_list", ()):
                keys = [
                    id(value.node)
                    for table in (tables.host, tables.traced)
                    for value in run_by(table.get(id(decorator)))
                    if isinstance(value, FunctionValue)
                ]
                owner = self.places.owner(module, decorator)
                found.setdefault(id(owner), []).append((decorator, keys))
        return found

    # --- captures

    @cached_property
    def all(self) -> dict[int, Capture]:
        """By the identity of the first read: every capture that goes stale."""
        found: dict[int, Capture] = {}
        called = self.facts.interpreter.called.values()
        if not any(t.transform in COMPILING for users in called for t in users):
            return found
        for key in self.compiled:
            value = self.facts.interpreter.functions.get(key)
            if value is None:
                continue
            for (place, _), reads in self.reads(value).items():
                capture = self.judge(value, place, reads)
                if capture is not None:
                    found[id(capture.node)] = capture
            for (place, _), (one, reads) in self.kept_reads(value).items():
                capture = self.judge(value, place, reads, one)
                if capture is not None:
                    found[id(capture.node)] = capture
        return found

    def reads(self, value: FunctionValue) -> dict[tuple[Place, str], list[ast.expr]]:
        """What a function reads from outside of the compiled program.

        By place and spelling: two objects of one class have their attributes in common.
        """
        found: dict[tuple[Place, str], list[ast.expr]] = {}
        function = self.facts.function(value.node)
        assert function is not None, "a compiled function has run"
        for node in function.walk():
            if not isinstance(node, ast.Name | ast.Attribute | ast.Subscript):
                continue
            if not isinstance(node.ctx, ast.Load) or is_receiver(value.module, node):
                continue
            if not self.is_outside(value, node):
                continue
            place = self.unit(value.module, node)
            if place is None:
                continue
            found.setdefault((place, ast.unparse(node)), []).append(node)
        return found

    def kept_reads(
        self, value: FunctionValue
    ) -> dict[tuple[Place, str], tuple[Kept, list[ast.expr]]]:
        """What a function reads by way of parameters that the program keeps."""
        found: dict[tuple[Place, str], tuple[Kept, list[ast.expr]]] = {}
        function = self.facts.function(value.node)
        assert function is not None, "a compiled function has run"
        roots = self.facts.interpreter.called.get(id(value.node), [])
        by_name: dict[str, tuple[Kept, Place] | None] = {}
        for node in function.walk():
            if not isinstance(node, ast.Name) or not isinstance(node.ctx, ast.Load):
                continue
            if self.places.binder(value.module, node, node.id) is not value.node:
                continue
            if node.id not in by_name:
                one = kept(self.facts, value, node.id, roots)
                place = self.places.place(one.module, one.source) if one else None
                by_name[node.id] = (one, place) if one and place else None
            if (held := by_name[node.id]) is not None:
                one, place = held
                reads = found.setdefault((place, node.id), (one, []))[1]
                reads.append(node)
        return found

    def unit(self, module: Module, node: ast.expr) -> Place | None:
        """The place of a read that is not a part of a longer one."""
        place = self.place(module, node)
        if place is None:
            return None
        parent = module.parent(node)
        if isinstance(parent, ast.Attribute | ast.Subscript) and parent.value is node:
            if not isinstance(parent.ctx, ast.Load):
                return None
            longer = self.place(module, parent)
            if longer is not None and not self.is_fixed(longer):
                return None
        return place

    def is_fixed(self, place: Place) -> bool:
        """Is it an attribute that nothing assigns once its object is made?"""
        changes = (self.places.of, self.places.of_given)
        return place.kind == "attribute" and not any(find(place) for find in changes)

    def place(self, module: Module, node: ast.expr) -> Place | None:
        """The place, unless it is an attribute of an array or another plain object."""
        place = self.places.place(module, node)
        if place is None or not isinstance(node, ast.Attribute) or not place.path:
            return place
        changes = self.places.of(place)
        return place if any(c.place.path == place.path for c in changes) else None

    def is_outside(self, value: FunctionValue, node: ast.expr) -> bool:
        """Does a read look beyond what the program is given or makes itself?"""
        root = node
        while isinstance(root, ast.Attribute | ast.Subscript):
            root = root.value
        if not isinstance(root, ast.Name):
            return False
        scope = self.places.binder(value.module, root, root.id)
        if scope is None or isinstance(scope, ast.Module):
            return scope is not None
        if id(scope) not in self.compiled:
            return True
        is_object = node is not root and is_first_parameter(scope, root.id)
        return is_object and self.keeps_receiver(scope)

    def keeps_receiver(self, method: FunctionNode, depth: int = 4) -> bool:
        """Is the receiver of a method a constant of the compiled program?"""
        value = self.facts.interpreter.functions.get(id(method))
        if value is None or value.owner is None or value.owner.kind == "module":
            return False
        names = parameter_names(method)
        for root in self.facts.interpreter.called.get(id(method), ()):
            if root.transform in COMPILING:
                if has_receiver(root.function):
                    return True
                if names[0] in static_names(root):
                    return value.owner.lookup("__hash__") is None
        return any(
            self.is_lasting(outer, call, method)
            or (
                depth > 0
                and outer.owner is not None
                and runs_own(outer.node, call, method)
                and self.keeps_receiver(outer.node, depth - 1)
            )
            for key in self.callers.get(id(method), ())
            if key in self.compiled
            and (outer := self.facts.interpreter.functions.get(key)) is not None
            for call, ran in self.calls.get(key, ())
            if any(isinstance(v, FunctionValue) and v.node is method for v in ran)
        )

    def is_lasting(
        self, outer: FunctionValue, call: ast.expr, method: FunctionNode
    ) -> bool:
        """May a call run a method of an object from outside of compiled code?"""
        for access in accesses(outer.node, call, method):
            if not isinstance(access, ast.Attribute):
                continue
            seen = self.facts.interpreter.seen(access.value)
            is_object = any(isinstance(v, InstanceValue) for v in seen)
            if is_object and root_of(access):
                root = access.value
                while isinstance(root, ast.Attribute | ast.Subscript):
                    root = root.value
                scope = self.places.binder(outer.module, root, root_of(access))
                if scope is not None and id(scope) not in self.compiled:
                    return True
        return False

    def judge(
        self,
        value: FunctionValue,
        place: Place,
        reads: list[ast.expr],
        held: Kept | None = None,
    ) -> Capture | None:
        changes = self.places.of(place)
        if held is not None:
            # The object is kept: another one under its old name does not matter.
            changes = [c for c in changes if not c.rebinds]
        outside = [c for c in changes if id(c.owner) not in self.compiled]
        if self.is_setting(value, reads):
            changes = [c for c in changes if not is_dynamic_scope(c.owner)]
            outside = [c for c in outside if not is_dynamic_scope(c.owner)]
        # What compiled code stores itself is a tracer: a problem of its own.
        if len(outside) < len(changes) or self.is_always_the_same(place, changes):
            return None
        given = [c for c in self.places.of_given(place) if c not in changes]
        outside += [c for c in given if id(c.owner) not in self.compiled]
        altering = self.altering(place, outside)
        # One transform may be applied to a function of many objects, or at many times.
        roots = {id(root.node): root for root in self.compiled[id(value.node)]}
        for root in roots.values():
            story = self.story(root, outside, altering)
            story.given = frozenset(map(id, given))
            story.takers = self.places.takers(place)
            change = self.unseen(story)
            if (
                change is not None
                and not change.rebinds
                and not self.is_known(value, reads)
            ):
                return None
            if change is not None:
                same = [r for r in roots.values() if r.function == root.function]
                rejitted = any(self.is_rejitted(r, outside) for r in same)
                return Capture(
                    place,
                    tuple(reads),
                    value.node,
                    value.module,
                    root,
                    change,
                    rejitted,
                    held,
                )
        return None

    def is_setting(self, fn: FunctionValue, reads: Iterable[ast.expr]) -> bool:
        """Does it say how to trace (a flag, a stack of handlers), not what to do?"""
        traced = self.facts.interpreter.traced
        values = [traced.get(id(read)) for read in reads]
        return all(
            (value is not None and type_name(value) in ("bool", "str"))
            or not self.hoisting.is_data(fn.module, read)
            for value, read in zip(values, reads, strict=True)
        )

    def is_known(self, fn: FunctionValue, reads: Iterable[ast.expr]) -> bool:
        """Is anything known of what is read? A registry of classes is no state."""
        if any(self.hoisting.is_operand(fn.module, read) for read in reads):
            return True
        if any(is_compared(fn.module, read) for read in reads):
            return True
        seen = self.facts.interpreter.seen
        return any(is_known(value) for read in reads for value in seen(read))

    def is_always_the_same(self, place: Place, changes: Iterable[Change]) -> bool:
        """Is one constant assigned to a module's variable again and again?"""
        values = [c.value if c.rebinds else None for c in changes]
        texts = {ast.dump(v) for v in values if isinstance(v, ast.Constant)}
        constant = all(isinstance(v, ast.Constant) for v in values)
        return place.kind == "module" and constant and len(texts) == 1

    # --- when

    def unseen(self, story: Story) -> Change | None:
        """A change that can come between two calls of one compiled function."""
        callers = {*story.tracing, *story.traces}
        both = callers & {*story.altering, *(id(c.owner) for c in story.changes)}
        order = self.order
        known = sorted((k for k in both if k in order), key=order.__getitem__)
        scopes = [(k, self.scopes[k]) for k in known]
        for _ in range(2):
            for key, scope in scopes:
                change = self.between(story, key, scope)
                if change is not None:
                    return change
        return self.from_outside(story)

    @cached_property
    def traces(self) -> dict[Program, dict[int, list[ast.AST]]]:
        """The calls of transformed functions from the host: by program, by caller."""
        found: dict[Program, dict[int, list[ast.AST]]] = {}
        for owner, calls in self.calls.items():
            if owner in self.compiled:
                continue
            for node, ran in calls:
                for value in ran:
                    if isinstance(value, TransformedValue):
                        callers = found.setdefault(program(value), {})
                        callers.setdefault(owner, []).append(node)
        return found

    def same_program(self, root: TransformedValue) -> dict[Program, None]:
        """The transformed functions that find each other's compiled programs."""
        found = {program(root): None}
        fn = underlying(root.function)
        if fn is not None and isinstance(root.function, FunctionValue | BoundValue):
            for other in self.facts.interpreter.called.get(id(fn.node), ()):
                if (
                    other.transform == root.transform
                    and other.function == root.function
                ):
                    found[program(other)] = None
        return found

    def altering(self, place: Place, changes: list[Change]) -> dict[int, Change]:
        """The functions that get to a change, other than by making the variable."""
        binder = place.owner if place.kind == "local" else None
        by_owner = {id(c.owner): c for c in reversed(changes) if id(c.owner) != binder}
        return {k: by_owner[first] for k, first in self.reaching(by_owner).items()}

    def story(
        self,
        root: TransformedValue,
        changes: list[Change],
        altering: dict[int, Change],
    ) -> Story:
        site, home = self.site(root)
        traces, tracing = self.callers_of(root, home)
        return Story(root, site, home, traces, tracing, changes, altering)

    def callers_of(self, root: TransformedValue, home: ScopeNode | None) -> Callers:
        """The calls of a compiled function by function, and who gets to them."""
        known = self._callers_of.get(id(root))
        if known is None:
            traces: dict[int, list[ast.AST]] = {}
            for one in self.same_program(root):
                for owner, nodes in self.traces.get(one, {}).items():
                    traces.setdefault(owner, []).extend(nodes)
            tracing = self.reaching(o for o in traces if o != id(home))
            known = self._callers_of[id(root)] = (traces, tracing)
        return known

    def between(self, story: Story, key: int, scope: ScopeNode) -> Change | None:
        """A change between two calls, by the order of one function's statements."""
        traces = [*story.traces.get(key, ())]
        # (what changes it, the change, does it also call the compiled function)
        altering = [(c.node, c, False) for c in story.changes if id(c.owner) == key]
        is_cycle = False
        for call, keys in self.called_functions.get(key, ()):
            calls_it = any(k in story.tracing for k in keys)
            traces += [call] if calls_it else []
            for one in keys:
                if one in story.altering:
                    altering.append((call, story.altering[one], calls_it))
            is_cycle = is_cycle or any(k in story.cycles for k in keys)
        if not traces or not altering:
            return None
        graph = self.graph(scope)
        made = self.fresh(graph, story.site if story.home is scope else None)
        for node, change, calls_it in altering:
            fresh = made
            if id(change) in story.given:
                fresh |= self.remade(graph, key, story.takers)
            if not is_cycle and not any(graph.follows(t, node, fresh) for t in traces):
                continue
            story.cycles.add(key)
            if calls_it or any(graph.follows(node, t, fresh) for t in traces):
                return change
        return None

    def remade(self, graph: Graph, key: int, takers: frozenset[int]) -> frozenset[int]:
        """The statements of a function that give the object to a new taker."""
        calls = self.called_functions.get(key, ())
        made = (graph.statement.get(id(c)) for c, keys in calls if takers & {*keys})
        return frozenset(id(stmt) for stmt in made if stmt is not None)

    def from_outside(self, story: Story) -> Change | None:
        """A change by a function that nobody in the project calls: anyone may."""
        users = [k for k in story.tracing if self.is_entry(k)]
        fn = underlying(story.root.function)
        # What a compiled function makes for itself is run by its own callers.
        is_inner = story.home is not None and id(story.home) in self.compiled
        if not story.traces and fn is not None and not is_inner:
            users.append(id(fn.node))
        for key, change in story.altering.items():
            if not self.is_entry(key):
                continue
            if any(u != key for u in users):
                return change
            if key in users and depends_on_parameters(change):
                return change
        return None

    def is_entry(self, key: int) -> bool:
        scope = self.scopes.get(key)
        return (
            isinstance(scope, FUNCTIONS)
            and not (self.callers.get(key, set()) - {key})
            and getattr(scope, "name", "") not in ("__init__", "__post_init__")
        )

    @cached_property
    def scopes(self) -> dict[int, ScopeNode]:
        """Every function and module, by identity."""
        found: dict[int, ScopeNode] = {**self.places.functions}
        for module in self.facts.project.by_path.values():
            found[id(module.tree)] = module.tree
        return found

    @cached_property
    def order(self) -> dict[int, int]:
        """The place of each function and module among all."""
        return {key: index for index, key in enumerate(self.scopes)}

    def reaching(self, start: Iterable[int]) -> dict[int, int]:
        """The functions that call, directly or not, one of `start`: key → start."""
        starts = tuple(dict.fromkeys(start))
        known = self._reaching.get(starts)
        if known is not None:
            return known
        found = {key: key for key in starts}
        todo = list(found)
        callers = self.ordered_callers
        while todo:
            key = todo.pop()
            for caller in callers.get(key, ()):
                if caller not in found:
                    found[caller] = found[key]
                    todo.append(caller)
        self._reaching[starts] = found
        return found

    def site(self, root: TransformedValue) -> tuple[ast.AST | None, ScopeNode | None]:
        """Where the function object that is jitted is made anew, and in which function.

        (None, None): at module level or in a class, once and for all.
        """
        inner = root.function
        while isinstance(inner, BoundValue):
            inner = inner.function
        node: ast.AST = root.node
        module = root.module
        if isinstance(inner, FunctionValue):
            node, module = inner.node, inner.module
        home = self.places.owner(module, node)
        return (None, None) if isinstance(home, ast.Module) else (node, home)

    def fresh(self, graph: Graph, site: ast.AST | None) -> frozenset[int]:
        stmt = graph.statement.get(id(site)) if site is not None else None
        return frozenset({id(stmt)}) if stmt is not None else frozenset()

    def is_rejitted(self, root: TransformedValue, changes: list[Change]) -> bool:
        """Is `jax.jit(f)` called on the same function after a change?"""
        owner = self.places.owner(root.module, root.node)
        if isinstance(owner, ast.Module) or not isinstance(root.node, ast.Call):
            return False
        parent = root.module.parent(root.node)
        if isinstance(parent, FUNCTIONS):
            return False
        if self.site(root)[1] is owner:
            return False
        graph = self.graph(owner)
        nodes: list[ast.AST] = [c.node for c in changes if c.owner is owner]
        altering = self.reaching(id(c.owner) for c in changes)
        for call, ran in self.calls.get(id(owner), ()):
            if any(
                isinstance(v, FunctionValue) and id(v.node) in altering for v in ran
            ):
                nodes.append(call)
        fn = underlying(root.function)
        again = self.facts.interpreter.called.get(id(fn.node), []) if fn else []
        earlier = [t.node for t in again if t.function == root.function]
        return any(
            graph.follows(one, n) and graph.follows(n, root.node)
            for n in nodes
            for one in earlier
        )


def program(value: TransformedValue) -> Program:
    fn = underlying(value.function)
    return id(value.node), None if fn is None else id(fn.node)


def run_by(value: Value | None) -> Iterator[Value]:
    """The functions and transformed functions that calling a value runs."""
    match value:
        case FunctionValue():
            yield value
        case TransformedValue():
            yield value
            yield from run_by(value.function)
        case BoundValue() | PartialValue():
            yield from run_by(value.function)
        case ClassValue():
            yield from run_by(value.lookup("__init__"))
        case InstanceValue():
            yield from run_by(value.cls.lookup("__call__"))
        case MethodValue(name="staticmethod" | "classmethod" | "property"):
            yield from run_by(value.receiver)
        case Union():
            for option in value.options:
                yield from run_by(option)


def is_opaque(callee: Value) -> bool:
    """A callee that may call the functions that it is given."""
    if isinstance(callee, Lib):
        return callee.name not in BINDERS
    return not isinstance(callee, FunctionValue | TransformedValue | PartialValue)


def is_dynamic_scope(owner: ScopeNode) -> bool:
    """A context manager, which sets a flag for a block and puts it back."""
    names = [ast.unparse(d) for d in getattr(owner, "decorator_list", ())]
    is_manager = any(n.rpartition(".")[2] == "contextmanager" for n in names)
    return is_manager or getattr(owner, "name", "") in ("__enter__", "__exit__")


def is_known(value: Value) -> bool:
    match value:
        case Seq() | Dict():
            inner = value.items or value.elem is not None
            return bool(inner) and is_known(element(value))
        case Union():
            return any(is_known(option) for option in value.options)
        case _:
            return not isinstance(value, Unknown)


def is_compared(module: Module, node: ast.expr) -> bool:
    """Is it compared with a word or a number?"""
    parent = module.parent(node)
    if not isinstance(parent, ast.Compare):
        return False
    return any(
        isinstance(other, ast.Constant) and isinstance(other.value, str | int | float)
        for other in (parent.left, *parent.comparators)
    )


def is_receiver(module: Module, node: ast.expr) -> bool:
    """Is it the `xs` of `xs.append(x)`, which is no read of what is in it?"""
    parent = module.parent(node)
    return (
        isinstance(parent, ast.Attribute)
        and parent.attr in MUTATING_METHODS
        and isinstance(call := module.parent(parent), ast.Call)
        and call.func is parent
        and isinstance(module.parent(call), ast.Expr)
    )


def has_receiver(function: Value) -> bool:
    while isinstance(function, PartialValue | TransformedValue):
        function = function.function
    return isinstance(function, BoundValue)


def depends_on_parameters(change: Change) -> bool:
    """Does another call bring another value?"""
    if isinstance(change.owner, ast.Module):
        return False
    if change.value is None:
        return True
    given = set(parameter_names(change.owner))
    return any(
        isinstance(n, ast.Name) and n.id in given for n in ast.walk(change.value)
    )
