"""Where values live that outlast a call, and what changes them, in all files.

A `Place` is a variable of a module, a variable of an enclosing function or an
attribute of the instances of a class, with a path of constant keys and attributes into
the object.
Names are resolved by Python's scoping rules, so code that never ran is seen too; only
the class of an instance is asked of the interpreter.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from .facts import Facts
from .namespaces import is_namespace
from .objects import ClassValue, FunctionNode, FunctionValue, InstanceValue
from .project import Module, absolute_import
from .scopes import (
    MUTATING_METHODS,
    children,
    declared,
    evaluated_at_definition,
    imported_names,
    parameter_names,
    scope_body,
    walk_scope,
    writes,
)
from .values import Value, alternatives

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
ARRAY_METHODS = frozenset({"fill", "itemset", "partition", "put", "resize", "setfield"})
# Library functions that change their first argument.
CHANGES_ARGUMENT = frozenset(
    {
        *("numpy.copyto", "numpy.fill_diagonal", "numpy.place", "numpy.put"),
        *("numpy.putmask", "numpy.put_along_axis", "numpy.random.shuffle"),
        *("numpy.add.at", "numpy.subtract.at", "numpy.multiply.at", "numpy.divide.at"),
        *("heapq.heappush", "heapq.heappop", "heapq.heapify", "bisect.insort"),
        *("operator.setitem", "random.shuffle"),
    }
)
CONSTRUCTORS = frozenset({"__init__", "__post_init__", "__new__", "setup"})

ScopeNode = FunctionNode | ast.Module


@dataclass(frozen=True, slots=True)
class Place:
    """A variable or attribute, and a path into the object that it holds.

    `owner` tells the module (its path), the function or the class (the identity of its
    node) apart; `path` holds `.name` for attributes and `(key,)` for constant keys.
    """

    kind: str  # "module" | "local" | "attribute"
    owner: str | int
    name: str
    path: tuple[Any, ...] = ()

    @property
    def variable(self) -> Place:
        return replace(self, path=())


@dataclass(frozen=True, slots=True)
class Change:
    """One piece of code that binds a place anew, or changes the object in it."""

    place: Place
    node: ast.AST
    owner: ScopeNode
    module: Module
    rebinds: bool
    value: ast.expr | None = None


class Places:
    """Resolves names, attributes and subscripts of a project to places."""

    def __init__(self, facts: Facts) -> None:
        self.facts = facts
        self._owners: dict[int, ScopeNode] = {}
        self._locals: dict[int, frozenset[str]] = {}
        self._imports: dict[int, dict[str, ast.stmt]] = {}
        self._classes: dict[int, frozenset[int]] = {}
        self._changes: dict[Place, list[Change]] = {}
        self._changes_of: dict[int, list[Change]] = {}
        self._objects_passed: dict[
            int, list[tuple[Place, ast.Name | ast.Attribute]]
        ] = {}
        self._binders: dict[tuple[int, str], ScopeNode | None] = {}
        self._own_names: dict[int, frozenset[str]] = {}
        self._globals: dict[int, frozenset[str]] = {}
        self._bindings: dict[int, dict[str, list[ast.Name]]] = {}

    # --- scopes

    def owner(self, module: Module, node: ast.AST) -> ScopeNode:
        """The function (or module) whose code `node` belongs to."""
        known = self._owners.get(id(node))
        if known is not None:
            return known
        found: ScopeNode = module.tree
        below = node
        for outer in module.ancestors(node):
            if isinstance(outer, FUNCTIONS) and is_inside(outer, below):
                found = outer
                break
            below = outer
        self._owners[id(node)] = found
        return found

    def outer(self, module: Module, function: ScopeNode) -> ScopeNode | None:
        """The function (or module) in which a function is defined."""
        if isinstance(function, ast.Module):
            return None
        return self.owner(module, function)

    def chain(self, module: Module, function: ScopeNode) -> list[ScopeNode]:
        """The function, those around it, and the module."""
        found = [function]
        while (outer := self.outer(module, found[-1])) is not None:
            found.append(outer)
        return found

    def locals_of(self, function: FunctionNode) -> frozenset[str]:
        known = self._locals.get(id(function))
        if known is None:
            body = scope_body(function)
            shared = self.globals_of(function) | declared(body, ast.Nonlocal)
            names = {*parameter_names(function), *(bound_names(body) - shared)}
            known = self._locals[id(function)] = frozenset(names)
        return known

    def binder(self, module: Module, node: ast.AST, name: str) -> ScopeNode | None:
        """The function or module that binds `name` where `node` stands.

        None for a variable of a comprehension, a name of a class body, a builtin.
        """
        for outer in module.ancestors(node):
            if isinstance(outer, COMPREHENSIONS) and name in writes(
                [g.target for g in outer.generators]
            ):
                return None
            if isinstance(outer, FUNCTIONS):
                break
        owner = self.owner(module, node)
        key = (id(owner), name)
        if key not in self._binders:
            self._binders[key] = self._binder_in(module, owner, name)
        return self._binders[key]

    def _binder_in(
        self, module: Module, owner: ScopeNode, name: str
    ) -> ScopeNode | None:
        for scope in self.chain(module, owner):
            if isinstance(scope, ast.Module):
                break
            if name in self.locals_of(scope):
                return scope
            if name in self.globals_of(scope):
                break
        return module.tree if name in self.module_names(module) else None

    def globals_of(self, function: FunctionNode) -> frozenset[str]:
        """The names that a function declares `global`."""
        known = self._globals.get(id(function))
        if known is None:
            names = declared(scope_body(function), ast.Global)
            known = self._globals[id(function)] = frozenset(names)
        return known

    def module_names(self, module: Module) -> frozenset[str]:
        known = self._locals.get(id(module.tree))
        if known is None:
            names = {*bound_names(module.tree.body), *module.rebound, *module.globals}
            known = self._locals[id(module.tree)] = frozenset(names)
        return known

    def imports(self, scope: ScopeNode) -> dict[str, ast.stmt]:
        """The import statement behind each name that a scope imports."""
        known = self._imports.get(id(scope))
        if known is None:
            known = {}
            body: Sequence[ast.AST] = scope_body(scope)
            for node in walk_scope(body):
                if isinstance(node, ast.Import | ast.ImportFrom):
                    for alias in node.names:
                        name = alias.asname or alias.name.partition(".")[0]
                        known[name] = node
            self._imports[id(scope)] = known
        return known

    # --- modules and places

    def module_of(self, module: Module, node: ast.expr) -> Module | None:
        """The project's module that a name or dotted name stands for."""
        find = self.facts.project.find
        if isinstance(node, ast.Name):
            scope = self.binder(module, node, node.id)
            stmt = self.imports(scope).get(node.id) if scope is not None else None
            if isinstance(stmt, ast.Import):
                for alias in stmt.names:
                    if alias.asname == node.id:
                        return find(alias.name, module)
                    if alias.asname is None and alias.name.partition(".")[0] == node.id:
                        return find(node.id, module)
            if isinstance(stmt, ast.ImportFrom):
                source = absolute_import(module, stmt)
                for alias in stmt.names:
                    if (alias.asname or alias.name) == node.id:
                        return find(
                            f"{source}.{alias.name}" if source else alias.name, module
                        )
            return None
        if isinstance(node, ast.Attribute):
            outer = self.module_of(module, node.value)
            if outer is not None and node.attr not in self.own_names(outer):
                return find(f"{outer.name}.{node.attr}")
        return None

    def own_names(self, module: Module) -> frozenset[str]:
        known = self._own_names.get(id(module))
        if known is None:
            known = frozenset(bound_names(module.tree.body)) | module.rebound
            self._own_names[id(module)] = known
        return known

    def is_library(self, module: Module, name: str) -> bool:
        """Is a module's name imported from outside of the project?"""
        stmt = self.imports(module.tree).get(name)
        find = self.facts.project.find
        match stmt:
            case ast.ImportFrom():
                return find(absolute_import(module, stmt), module) is None
            case ast.Import():
                return all(find(alias.name, module) is None for alias in stmt.names)
            case _:
                return False

    def place(self, module: Module, node: ast.expr) -> Place | None:
        """The place that an expression reads or stores; None if it has none."""
        match node:
            case ast.Name(id=name):
                scope = self.binder(module, node, name)
                if scope is None:
                    return None
                if isinstance(scope, ast.Module):
                    is_library = self.is_library(module, name)
                    return None if is_library else Place("module", module.path, name)
                return Place("local", id(scope), name)
            case ast.Attribute(value=value, attr=attr):
                if (inner := self.module_of(module, value)) is not None:
                    return Place("module", inner.path, attr)
                for cls in self.classes_of(module, value):
                    return Place("attribute", id(cls), attr)
                base = self.place(module, value)
                return replace(base, path=(*base.path, f".{attr}")) if base else None
            case ast.Subscript(value=value, slice=index):
                base = self.place(module, value)
                if base is None or not isinstance(index, ast.Constant):
                    return None
                return replace(base, path=(*base.path, (index.value,)))
            case _:
                return None

    def origin(self, place: Place, depth: int = 8) -> Place:
        """Where the object comes from: `from m import x` gives the place of `m.x`."""
        module = self.facts.project.by_path.get(str(place.owner))
        if place.kind != "module" or module is None or not depth:
            return place
        imports = self.imports(module.tree)
        stmt = imports.get(place.name)
        if stmt is None and place.name not in self.own_names(module):
            stmt = imports.get("*")
        if not isinstance(stmt, ast.ImportFrom):
            named = self.named_by(module, place)
            return place if named is None else self.origin(named, depth - 1)
        source = self.facts.project.find(absolute_import(module, stmt), module)
        for alias in stmt.names:
            name = place.name if alias.name == "*" else alias.name
            if source is not None and (alias.asname or name) == place.name:
                inner = Place("module", source.path, name, place.path)
                return self.origin(inner, depth - 1)
        return place

    def named_by(self, module: Module, place: Place) -> Place | None:
        """What a module's variable is another name of: `config = settings`."""
        bound = self.bindings(module.tree).get(place.name, [])
        stmt = module.parent(bound[0]) if len(bound) == 1 else None
        if place.name in module.rebound or not isinstance(stmt, ast.Assign):
            return None
        if stmt.targets != bound:
            return None
        source = self.place(module, stmt.value)
        if source is None:
            return None
        return replace(source, path=(*source.path, *place.path))

    # --- classes

    def classes_of(self, module: Module, node: ast.expr) -> list[ast.ClassDef]:
        """The classes that an expression is known to be an instance of."""
        if isinstance(node, ast.Name):
            scope = self.binder(module, node, node.id)
            if isinstance(scope, FUNCTIONS):
                cls = self.class_of_method(module, scope)
                if cls is not None and is_first_parameter(scope, node.id):
                    return [cls]
        found: list[ast.ClassDef] = []
        tables = self.facts.interpreter
        for value in (tables.host.get(id(node)), tables.traced.get(id(node))):
            for option in alternatives(value) if value is not None else ():
                if isinstance(option, InstanceValue) and not (
                    option.cls.kind == "enum" or is_namespace(option.cls)
                ):
                    found.append(option.cls.node)
                if isinstance(option, ClassValue) and option.kind != "enum":
                    found.append(option.node)
        return found

    def class_of_method(
        self, module: Module, function: ScopeNode
    ) -> ast.ClassDef | None:
        parent = module.parent(function)
        if not isinstance(parent, ast.ClassDef) or isinstance(function, ast.Module):
            return None
        names = [ast.unparse(d) for d in getattr(function, "decorator_list", ())]
        return None if "staticmethod" in names else parent

    def related(self, a: str | int, b: str | int) -> bool:
        """Is one class a base of the other, or the same?"""
        if a == b:
            return True
        families = (self.bases(a), self.bases(b))
        return b in families[0] or a in families[1]

    def bases(self, key: str | int) -> frozenset[int]:
        known = self._classes.get(int(key))
        if known is None:
            value = self.facts.interpreter.class_of(int(key))
            found: set[int] = set()
            todo: list[Value] = [value] if value is not None else []
            while todo:
                one = todo.pop()
                if isinstance(one, ClassValue) and id(one.node) not in found:
                    found.add(id(one.node))
                    todo += one.bases
            known = self._classes[int(key)] = frozenset(found)
        return known

    def touches(self, change: Change, read: Place) -> bool:
        """Does the change alter what `read` gives?"""
        place = change.place if change.rebinds else self.origin(change.place)
        mine = read if change.rebinds else self.origin(read)
        if (place.kind, place.name) != (mine.kind, mine.name):
            return False
        same = place.owner == mine.owner or (
            place.kind == "attribute" and self.related(place.owner, mine.owner)
        )
        size = min(len(place.path), len(mine.path))
        return same and place.path[:size] == mine.path[:size]

    # --- changes

    @cached_property
    def nodes(self) -> list[tuple[Module, ast.AST]]:
        """Every node of the project of a kind that matters here."""
        return [
            (module, node)
            for module in self.facts.project.by_path.values()
            for node in module.nodes
            if isinstance(node, RELEVANT)
        ]

    @cached_property
    def _stores(self) -> dict[str, list[tuple[Module, ast.AST]]]:
        """Code that may change something, by each name that occurs in its target."""
        found: dict[str, list[tuple[Module, ast.AST]]] = {}
        for module, node in self.nodes:
            for name in changed_names(node):
                found.setdefault(name, []).append((module, node))
        return found

    @cached_property
    def _aliases(self) -> dict[str, set[str]]:
        """Other names of an object, as the text of the project shows them."""
        found: dict[str, set[str]] = {}
        for _, node in self.nodes:
            for name, alias in renamings(node):
                found.setdefault(name, set()).add(alias)
        return found

    def of(self, read: Place, depth: int = 4) -> list[Change]:
        """The changes that alter what `read` gives."""
        known = self._changes.get(read)
        if known is None:
            origin = self.origin(read).name
            names = self.aliases_of(read.name) | self.aliases_of(origin)
            home = self.homes.get(int(read.owner)) if read.kind == "local" else None
            found: dict[Change, None] = {}
            for name in sorted(names):
                for module, node in self._stores.get(name, ()):
                    if home is not None and module is not home:
                        continue
                    for change in self._changes_at(module, node, depth):
                        if change not in found and self.touches(change, read):
                            found[change] = None
            known = self._changes[read] = [*found]
        return known

    def of_given(self, read: Place) -> list[Change]:
        """The changes of an object under the names by which callers gave it.

        A function around the reader has it as a parameter: `make_step(config)`. Or a
        constructor has, whose object the reader looks at.
        """
        found: dict[Change, None] = {}
        for source in self.sources(read.variable):
            for change in self.of(replace(source, path=(*source.path, *read.path))):
                # `x += 1` is a new number, unless it is known to be more than that.
                if not change.rebinds and not isinstance(change.node, ast.Name):
                    found[change] = None
        return [*found]

    def sources(self, place: Place, depth: int = 3) -> list[Place]:
        """The places of the objects that callers give for a parameter.

        Or for one of a constructor, `self.config = config`, if it is an attribute.
        """
        found: dict[Place, None] = {}
        for source in self._given.get(place, ()) if depth else ():
            found[source] = None
            for outer in self.sources(source.variable, depth - 1):
                found[replace(outer, path=(*outer.path, *source.path))] = None
        return [*found]

    def takers(self, place: Place) -> frozenset[int]:
        """The functions that are given what a place holds, or its object's maker."""
        given = self._given.get(place.variable, ()) if place.kind == "attribute" else ()
        places = [place, *given]
        return frozenset(int(p.owner) for p in places if p.kind == "local")

    @cached_property
    def _given(self) -> dict[Place, list[Place]]:
        """By parameter: what calls of its function give that has a place.

        And by attribute: the parameter of a constructor that it is bound to.
        """
        found: dict[Place, list[Place]] = {}
        for module, node in self.nodes:
            pairs: list[tuple[Place | None, ast.expr]] = []
            if isinstance(node, ast.Call):
                pairs += self._passed_objects(node)
            elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
                stmt = module.parent(node)
                if isinstance(stmt, ast.Assign) and self._constructs(module, node):
                    pairs.append((self.place(module, node), stmt.value))
            for taken, given in pairs:
                source = self.place(module, given)
                if taken and source is not None and source.variable != taken:
                    found.setdefault(taken, []).append(source)
        return found

    def aliases_of(self, name: str) -> set[str]:
        """The name, and those that an assignment or import gives to what it names."""
        return {name} | self._aliases.get(name, set())

    def _changes_at(
        self, module: Module, node: ast.AST, depth: int
    ) -> Iterator[Change]:
        known = self._changes_of.get(id(node))
        if known is None:
            known = self._changes_of[id(node)] = [*self._own_changes(module, node)]
        yield from known
        if depth and isinstance(node, ast.Call):
            yield from self._passed(module, node, depth - 1)

    def _own_changes(self, module: Module, node: ast.AST) -> Iterator[Change]:
        match node:
            case ast.Name():
                yield from self._bound(module, node)
            case ast.Attribute():
                if not self._constructs(module, node):
                    yield from self._bound(module, node)
            case ast.Subscript():
                yield from self._stored(module, node)
            case ast.Call():
                yield from self._called(module, node)

    def _bound(
        self, module: Module, node: ast.Name | ast.Attribute
    ) -> Iterator[Change]:
        place = self.place(module, node)
        if place is None:
            return
        parent = module.parent(node)
        value = parent.value if isinstance(parent, ast.Assign | ast.AugAssign) else None
        owner = self.owner(module, node)
        rebinds = not place.path
        if rebinds:
            yield Change(place, node, owner, module, True, value)
        else:
            named = self.aliased(module, place)
            yield Change(named, node, owner, module, False, value)
        if isinstance(parent, ast.AugAssign) and rebinds:
            # `x += 1` changes an array or a list in place.
            yield Change(self.aliased(module, place), node, owner, module, False, value)

    def _constructs(self, module: Module, node: ast.Attribute) -> bool:
        """A store into `self` while the object is made."""
        owner = self.owner(module, node)
        return (
            isinstance(owner, ast.FunctionDef)
            and owner.name in CONSTRUCTORS
            and isinstance(node.value, ast.Name)
            and is_first_parameter(owner, node.value.id)
        )

    def _stored(self, module: Module, node: ast.Subscript) -> Iterator[Change]:
        owner = self.owner(module, node)
        parent = module.parent(node)
        value = parent.value if isinstance(parent, ast.Assign | ast.AugAssign) else None
        match node:
            case ast.Subscript(
                value=ast.Call(func=ast.Name(id="globals")),
                slice=ast.Constant(value=key),
            ):
                place = Place("module", module.path, str(key))
                yield Change(place, node, owner, module, True, value)
            case ast.Subscript(slice=ast.Constant()):
                yield from self._mutation(module, node, node, value)
            case _:
                yield from self._mutation(module, node, node.value, value)

    def _mutation(
        self,
        module: Module,
        node: ast.AST,
        target: ast.expr,
        value: ast.expr | None = None,
    ) -> Iterator[Change]:
        while (place := self.place(module, target)) is None:
            if not isinstance(target, ast.Subscript | ast.Attribute):
                return
            target = target.value
        owner = self.owner(module, node)
        yield Change(self.aliased(module, place), node, owner, module, False, value)

    def _called(self, module: Module, node: ast.Call) -> Iterator[Change]:
        for keyword in node.keywords:
            if keyword.arg == "out":
                yield from self._mutation(module, node, keyword.value)
        match node:
            case ast.Call(
                func=ast.Name(id="setattr"),
                args=[target, ast.Constant(value=name), value],
            ):
                made = ast.Attribute(target, str(name), ast.Store())
                place = self.place(module, made)
                if place is not None:
                    owner = self.owner(module, node)
                    yield Change(place, node, owner, module, not place.path, value)
            case ast.Call(func=ast.Attribute(value=target, attr=attr)):
                is_statement = isinstance(module.parent(node), ast.Expr)
                mutates = attr in MUTATING_METHODS and (
                    is_statement or attr in REMOVING
                )
                if mutates or (attr in ARRAY_METHODS and is_statement):
                    yield from self._mutation(module, node, target)
                elif node.args and self._library(node) in CHANGES_ARGUMENT:
                    yield from self._mutation(module, node, node.args[0])

    def _passed(self, module: Module, node: ast.Call, depth: int) -> Iterator[Change]:
        """A call of a project function that changes the object it is given."""
        passed = self._objects_passed.get(id(node))
        if passed is None:
            passed = self._objects_passed[id(node)] = self._passed_objects(node)
        for inner, argument in passed:
            if any(not c.rebinds for c in self.of(inner, depth)):
                yield from self._mutation(module, node, argument)

    def _passed_objects(
        self, node: ast.Call
    ) -> list[tuple[Place, ast.Name | ast.Attribute]]:
        """The parameters of project functions that a call gives objects that have a
        place, with what stands in the call."""
        found: list[tuple[Place, ast.Name | ast.Attribute]] = []
        call = self.facts.interpreter.calls.get(id(node))
        for option in call.callees if call is not None else ():
            is_class = isinstance(option, ClassValue)
            callee: Value | None = option
            if isinstance(option, ClassValue):
                callee = option.lookup("__init__")
            if not isinstance(callee, FunctionValue):
                continue
            spec = callee.node.args
            names = [a.arg for a in (*spec.posonlyargs, *spec.args)][is_class:]
            pairs = [*zip(names, node.args, strict=False)]
            pairs += [(k.arg, k.value) for k in node.keywords if k.arg is not None]
            found += [
                (Place("local", id(callee.node), name), argument)
                for name, argument in pairs
                if isinstance(argument, (ast.Name, ast.Attribute))
            ]
        return found

    def _library(self, node: ast.Call) -> str:
        call = self.facts.interpreter.calls.get(id(node))
        names = [getattr(c, "name", "") for c in call.callees] if call else []
        return names[0] if names else ast.unparse(node.func).replace("np.", "numpy.", 1)

    def aliased(self, module: Module, place: Place, depth: int = 4) -> Place:
        """The place whose object a local variable names: `cfg = settings` of `cfg`."""
        if place.kind != "local" or not depth:
            return place
        scope = self.functions.get(int(place.owner))
        if scope is None:
            return place
        bound = self.bindings(scope).get(place.name, [])
        stmt = module.parent(bound[0]) if len(bound) == 1 else None
        if not isinstance(stmt, ast.Assign) or stmt.targets != [bound[0]]:
            return place
        source = self.place(module, stmt.value)
        if source is None:
            return place
        inner = replace(source, path=(*source.path, *place.path))
        return self.aliased(module, inner, depth - 1)

    def bindings(self, scope: ScopeNode) -> dict[str, list[ast.Name]]:
        """The names that a function or module binds, and where."""
        known = self._bindings.get(id(scope))
        if known is None:
            known = self._bindings[id(scope)] = {}
            for node in walk_scope(scope_body(scope)):
                if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                    known.setdefault(node.id, []).append(node)
        return known

    @cached_property
    def homes(self) -> dict[int, Module]:
        """The module of every function, by the identity of its node."""
        return {
            id(node): module
            for module, node in self.nodes
            if isinstance(node, FUNCTIONS)
        }

    @cached_property
    def functions(self) -> dict[int, FunctionNode]:
        """Every function of the project, by the identity of its node."""
        return {id(node): node for _, node in self.nodes if isinstance(node, FUNCTIONS)}


def changed_names(node: ast.AST) -> tuple[str, ...]:
    """The names in the target of a node that may change something."""
    if isinstance(node, (ast.Name, ast.Attribute)) and isinstance(node.ctx, ast.Load):
        return ()
    match node:
        case ast.Name(id=name, ctx=ast.Store() | ast.Del()):
            return (name,)
        case ast.Attribute(ctx=ast.Store() | ast.Del()):
            return names_in(node)
        case ast.Subscript(
            value=ast.Call(func=ast.Name(id="globals")),
            slice=ast.Constant(value=str(key)),
        ):
            return (key,)
        case ast.Subscript(ctx=ast.Store() | ast.Del()):
            return names_in(node.value)
        case ast.Call(
            func=ast.Name(id="setattr"), args=[target, ast.Constant(value=str(name)), _]
        ):
            return (*names_in(target), name)
        case ast.Call():
            parts = [node.func.value] if isinstance(node.func, ast.Attribute) else []
            parts += [a for a in node.args if isinstance(a, ast.Name | ast.Attribute)]
            parts += [
                k.value
                for k in node.keywords
                if isinstance(k.value, ast.Name | ast.Attribute)
            ]
            return tuple(n for part in parts for n in names_in(part))
        case _:
            return ()


def bound_names(body: Sequence[ast.AST]) -> set[str]:
    """The names that a scope's own code binds, without comprehensions' variables."""
    found: set[str] = set()
    todo: list[ast.AST] = [*body]
    while todo:
        node = todo.pop()
        match node:
            case ast.Name(id=name, ctx=ast.Store() | ast.Del()):
                found.add(name)
            case ast.Import() | ast.ImportFrom():
                found.update(imported_names(node))
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                found.add(node.name)
                todo += evaluated_at_definition(node)
            case ast.ClassDef():
                found.add(node.name)
            case ast.Lambda():
                todo += evaluated_at_definition(node)
            case ast.comprehension():
                todo += [node.iter, *node.ifs]
            case ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
                found.add(name)
                todo += children(node)
            case ast.MatchMapping(rest=str(name)) | ast.ExceptHandler(name=str(name)):
                found.add(name)
                todo += children(node)
            case _:
                todo += children(node)
    return found


def names_in(node: ast.expr) -> tuple[str, ...]:
    """The names of `a.b[c].d`: a, b, d."""
    found: list[str] = []
    while isinstance(node, ast.Attribute | ast.Subscript):
        if isinstance(node, ast.Attribute):
            found.append(node.attr)
        node = node.value
    return (*found, node.id) if isinstance(node, ast.Name) else tuple(found)


def renamings(node: ast.AST) -> Iterator[tuple[str, str]]:
    """(name, other name) where a node gives an object another name."""
    match node:
        case ast.Assign(value=ast.Name() | ast.Attribute() | ast.Subscript() as value):
            for target in node.targets:
                if isinstance(target, ast.Name):
                    yield from ((name, target.id) for name in names_in(value))
        case ast.ImportFrom():
            yield from ((a.name, a.asname) for a in node.names if a.asname)


RELEVANT = (
    *(ast.Name, ast.Attribute, ast.Subscript, ast.Call, ast.Assign, ast.ImportFrom),
    *FUNCTIONS,
)
REMOVING = frozenset({"pop", "popitem", "popleft", "setdefault"})


def is_inside(function: FunctionNode, child: ast.AST) -> bool:
    """Is a direct part of a function run when it is called?"""
    if isinstance(function, ast.Lambda):
        return child is function.body
    return any(child is stmt for stmt in function.body)


def is_first_parameter(function: FunctionNode, name: str) -> bool:
    names = [a.arg for a in (*function.args.posonlyargs, *function.args.args)]
    return bool(names) and names[0] == name
