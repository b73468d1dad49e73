"""What a rule may ask: facts about functions and their expressions, no judgements."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from .build import source_of
from .call_sites import Parameter, Site, index
from .declarations import needed, settings
from .finding import Evidence
from .flow import Flow
from .handed import is_handed_over
from .hashing import constant_objects
from .interpret import MAX_CALLS, MAX_CONTEXTS, Call, Interpreter
from .objects import FunctionNode, FunctionValue, MethodValue, TransformedValue
from .origins import all_definitions
from .patterns import matched
from .project import Module, Project
from .python_calls import loop_tracer
from .scopes import children, parameter_names, scope_names
from .setting_uses import unseen_settings
from .settings import Settings
from .static_uses import roots_at, used_as_static
from .values import Array, Lib, Value, alternatives, is_static, tracer

if TYPE_CHECKING:
    from .captures import Captures
    from .keys import Reuse


class Facts:
    """The facts about a whole project."""

    def __init__(self, project: Project, interpreter: Interpreter) -> None:
        self.project = project
        self.interpreter = interpreter
        self.purity: dict[int, str | None] = {}
        self.endless: dict[int, bool] = {}
        self.consumed_keys: dict[int, frozenset[str]] = {}
        self.key_reuses: dict[int, dict[int, Reuse]] = {}
        self.loop_bodies: set[int] | None = None
        self._functions: dict[int, Function] = {}

    @property
    def project_settings(self) -> Settings:
        return self.interpreter.settings

    @cached_property
    def captures(self) -> Captures:
        """What compiled functions read from outside of them."""
        from .captures import Captures  # it is made of facts

        return Captures(self)

    def function(self, node: FunctionNode | ast.Module) -> Function | None:
        """The `Function` of a node; None for code that never ran."""
        known = self._functions.get(id(node))
        if known is not None:
            return known
        value = self.interpreter.functions.get(id(node))
        if value is None:
            return None
        made = Function(self, value.module, value.node, value.qualname, value)
        self._functions[id(node)] = made
        return made

    def module_code(self, module: Module) -> Function:
        """The body of a module, as if it were a function."""
        known = self._functions.get(id(module.tree))
        if known is None:
            known = Function(self, module, module.tree, "", None)
            self._functions[id(module.tree)] = known
        return known

    @cached_property
    def call_sites(self) -> dict[int, list[Site]]:
        """The calls of every function, by the identity of its node."""
        return index(iter(self.interpreter.calls.values()))

    @cached_property
    def settings(self) -> dict[Parameter, Evidence]:
        """Parameters of jitted functions that get what is no array."""
        return settings(self)

    @cached_property
    def unseen_settings(self) -> frozenset[Parameter]:
        """Those of them at which no function looks."""
        return unseen_settings(self)

    @cached_property
    def needed(self) -> frozenset[Parameter]:
        """Parameters that must become static, whatever else is done."""
        return needed(self) | constant_objects(self)

    @cached_property
    def used_as_static(self) -> frozenset[Parameter]:
        """Parameters whose values are used while tracing."""
        return used_as_static(self)

    @cached_property
    def roots_at(self) -> dict[int, list[TransformedValue]]:
        """The jits, by the identity of the call or decorator that makes them."""
        return roots_at(self)

    def functions(self, module: Module) -> list[Function]:
        """Every function of a module that ran, and the module, in source order."""
        found = [self.module_code(module)]
        for node in module.functions:
            fn = self.function(node)
            if fn is not None and fn.module is module:
                found.append(fn)
        return found

    def writes_outside(self, node: ast.AST) -> bool:
        """Does it change what was there before the trace, where somebody sees that?"""
        write = self.interpreter.state_writes.get(id(node))
        return write is not None and not self.is_unseen(node)

    def is_unseen(self, node: ast.AST) -> bool:
        """Is it a write into an argument that every call makes for the function?"""
        write = self.interpreter.state_writes.get(id(node))
        if write is None or write.origin.owner is None:
            return False
        return is_handed_over(self, write.origin.owner, write.origin.text)

    def reached(self, node: ast.stmt) -> bool:
        """Was the statement reached in any run of its function?"""
        return id(node) in self.interpreter.executed


@dataclass(slots=False, eq=False)
class Function:
    """One function (or lambda, or module body) of the project: what is known of it."""

    facts: Facts
    module: Module
    node: FunctionNode | ast.Module
    qualname: str
    definition: FunctionValue | None
    _cache: dict[str, object] = field(default_factory=dict)

    @property
    def path(self) -> str:
        return self.module.path

    @property
    def under(self) -> bool:
        """Does the function run under a transform?"""
        return id(self.node) in self.facts.interpreter.reached

    @property
    def on_host(self) -> bool:
        """Is the function also called from plain Python?"""
        return id(self.node) in self.facts.interpreter.on_host

    @property
    def differentiated(self) -> bool:
        """Is the function under reverse-mode differentiation anywhere?"""
        return id(self.node) in self.facts.interpreter.differentiated

    @cached_property
    def selections(self) -> dict[object, object]:
        """What a planner finds that names stand for, by the identity of the node."""
        return {}

    @cached_property
    def loaded(self) -> dict[str, list[ast.Name]]:
        """The places that read each name, in functions inside of it too."""
        found: dict[str, list[ast.Name]] = {}
        for node in ast.walk(self.node):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
                found.setdefault(node.id, []).append(node)
        return found

    @cached_property
    def stored(self) -> tuple[ast.Name | ast.Attribute | ast.Subscript, ...]:
        """What the function assigns to or deletes, in functions inside of it too."""
        return tuple(
            node
            for node in ast.walk(self.node)
            if isinstance(node, ast.Name | ast.Attribute | ast.Subscript)
            and not isinstance(node.ctx, ast.Load)
        )

    @cached_property
    def definitions(self) -> dict[str, list[ast.expr] | None]:
        """What each local variable is assigned; None where that is no expression."""
        return all_definitions(self)

    @property
    def is_known(self) -> bool:
        """Was the function followed in all the ways in which it is called?"""
        interpreter = self.facts.interpreter
        return (
            interpreter.contexts.get(id(self.node), 0) <= MAX_CONTEXTS
            and interpreter.spent <= MAX_CALLS
        )

    @cached_property
    def variables(self) -> frozenset[str]:
        """The local variables, parameters and variables of comprehensions included."""
        own = frozenset(self.definitions)
        if isinstance(self.node, ast.Module):
            return own
        return own | set(parameter_names(self.node))

    @cached_property
    def flow(self) -> Flow:
        return Flow(self.node)

    @cached_property
    def names(self) -> frozenset[str]:
        """All names that occur in the function."""
        return scope_names(self.node)

    def value(self, node: ast.AST) -> Value | None:
        """What an expression may be under a transform; None if it never ran there."""
        return self.facts.interpreter.traced.get(id(source_of(node)))

    def host_value(self, node: ast.AST) -> Value | None:
        """What an expression may be in plain Python; None if it never ran there."""
        return self.facts.interpreter.host.get(id(source_of(node)))

    def tracer(self, node: ast.AST) -> Array | None:
        """The tracer that an expression is proven to be (or may be, in a union)."""
        value = self.value(node)
        found = tracer(value) if value is not None else None
        return None if found is None or found.assumed else found

    def linear_value(self, node: ast.AST) -> Value | None:
        """What an expression is under differentiation alone, with no jit around it."""
        return self.facts.interpreter.linear.get(id(node))

    def traced(self, node: ast.AST) -> tuple[Evidence, ...]:
        """Why an expression is traced; empty if it is not known to be."""
        found = self.tracer(node)
        return self.reasons(found, node) if found is not None else ()

    def traced_count(self, node: ast.AST) -> tuple[Evidence, ...]:
        """Why the number of rounds of a `for` loop is traced; empty if it is not."""
        value = self.value(node.iter) if isinstance(node, ast.For) else None
        found = loop_tracer(value) if value is not None else None
        return self.reasons(found, node) if found is not None else ()

    def traced_subject(self, node: ast.Match) -> tuple[Evidence, ...]:
        """Why what a `match` asks is traced; empty if it is not known to be."""
        value = self.value(node.subject)
        found = matched(value, node) if value is not None else None
        if found is not None:
            return self.reasons(found, node)
        guards = (case.guard for case in node.cases if case.guard is not None)
        return next((why for guard in guards if (why := self.traced(guard))), ())

    def reasons(self, found: Array, node: ast.AST) -> tuple[Evidence, ...]:
        if found.why is not None:
            return tuple(reversed(found.why.chain()))
        return (Evidence(self.path, getattr(node, "lineno", 1), "it is traced"),)

    def static(self, node: ast.AST) -> bool:
        """Is an expression certainly known while tracing?"""
        value = self.value(node)
        return value is not None and is_static(value)

    def call(self, node: ast.Call) -> Call | None:
        return self.facts.interpreter.calls.get(id(source_of(node)))

    def callees(self, node: ast.Call) -> Sequence[Value]:
        """What a call may reach."""
        found = self.call(node)
        known = found.callees if found is not None else ()
        return [option for callee in known for option in alternatives(callee)]

    def library(self, node: ast.AST) -> str | None:
        """The dotted name of the one library function that a call reaches."""
        if not isinstance(node, ast.Call):
            return None
        match list(self.callees(node)):
            case [Lib(name=name)]:
                return name
            case _:
                return None

    def calls_library(self, node: ast.Call) -> bool:
        """Does a call reach only functions of libraries or methods of their objects?"""
        found = self.callees(node)
        return bool(found) and all(isinstance(c, Lib | MethodValue) for c in found)

    def resolve(self, node: ast.AST) -> str | None:
        """The dotted name of an expression: `jax.numpy.where` of `jnp.where`."""
        value = self.value(node) or self.host_value(node)
        return value.name if isinstance(value, Lib) else None

    def why_under(self) -> tuple[Evidence, ...]:
        """How the function comes to run under a transform."""
        why = self.facts.interpreter.reached.get(id(self.node))
        return tuple(reversed(why.chain())) if why is not None else ()

    def captured(self) -> dict[str, list[ast.expr]]:
        """What the compiled function reads from outside of the program.

        By the text of a variable, attribute or item: all reads of it, first one first.
        """
        captures = self.facts.captures
        if self.definition is None or id(self.node) not in captures.compiled:
            return {}
        found: dict[str, list[ast.expr]] = {}
        places = captures.reads(self.definition).values()
        reads = [self._whole(read) for same in places for read in same]
        for read in sorted(reads, key=lambda r: (r.lineno, r.col_offset)):
            found.setdefault(ast.unparse(read), []).append(read)
        return found

    def _whole(self, read: ast.expr) -> ast.expr:
        """The array of which an element or a row is read."""
        while isinstance(read, ast.Subscript):
            if not isinstance(self.value(read.value), Array):
                break
            read = read.value
        return read

    def roots(self) -> Sequence[TransformedValue]:
        """The transforms that are applied to this function."""
        return self.facts.interpreter.called.get(id(self.node), ())

    def walk(self) -> list[ast.AST]:
        """The nodes of the function, without those of nested functions."""
        return self._nodes

    @cached_property
    def _nodes(self) -> list[ast.AST]:
        body: list[ast.AST]
        if isinstance(self.node, ast.Lambda):
            body = [self.node.body]
        else:
            body = list(self.node.body)
        found: list[ast.AST] = []
        todo = body[::-1]
        while todo:
            node = todo.pop()
            found.append(node)
            kind = type(node)
            if kind is ast.FunctionDef or kind is ast.AsyncFunctionDef:
                todo += reversed(node.decorator_list)  # type: ignore[attr-defined]
            elif kind is not ast.Lambda:
                todo += reversed(children(node))
        return found
