"""Which functions are run though no code that we see calls them, and in what order."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from .objects import ClassValue, FunctionValue, ModuleValue, TransformedValue
from .project import Module

if TYPE_CHECKING:
    from .interpret import Interpreter


class Given:
    """The names, in a module, of transformed functions and of those that transform.

    Its own, and those that it imports, alone or with their module. What is known grows
    while the project runs; each function is looked at once.
    """

    def __init__(self, interpreter: Interpreter) -> None:
        self._interpreter = interpreter
        self._done: set[int] = set()
        self._names: dict[int, set[str]] = {}  # by the module that defines them
        self._nodes: set[int] = set()  # of the functions, and of their classes

    def names(self, module: Module) -> frozenset[str]:
        self._update()
        near = [
            module,
            *(v.module for v in module.globals.values() if isinstance(v, ModuleValue)),
        ]
        found = {name for m in near for name in self._names.get(id(m), ())}
        for name, value in module.globals.items():
            if isinstance(value, TransformedValue) or (
                isinstance(value, FunctionValue | ClassValue)
                and id(value.node) in self._nodes
            ):
                found.add(name)
        return frozenset(n for n in found if n.isidentifier())

    def _update(self) -> None:
        interpreter = self._interpreter
        new = (interpreter.called.keys() | interpreter.transforming) - self._done
        self._done |= new
        for key in new:
            function = interpreter.functions[key]
            names = self._names.setdefault(id(function.module), set())
            names.add(function.name)
            self._nodes.add(key)
            if function.owner is not None:
                names.add(function.owner.name)
                self._nodes.add(id(function.owner.node))


def outermost(module: Module) -> list[ast.stmt]:
    """The functions of a module that nothing else in it names."""
    waiting: dict[str, list[ast.stmt]] = {}
    for stmt in module.tree.body:
        if isinstance(stmt, ast.FunctionDef):
            waiting.setdefault(stmt.name, []).append(stmt)
    for node in module.nodes:
        match node:
            case ast.Name(id=name) | ast.Attribute(attr=name) if name in waiting:
                waiting[name] = [f for f in waiting[name] if is_within(node, f)]
    found = {id(f) for functions in waiting.values() for f in functions}
    return [stmt for stmt in module.tree.body if id(stmt) in found]


def is_within(node: ast.expr, stmt: ast.stmt) -> bool:
    """Does the node stand in the lines of the statement or of its decorators?"""
    decorators: list[ast.expr] = getattr(stmt, "decorator_list", [])
    start = min([stmt.lineno, *(d.lineno for d in decorators)])
    return start <= node.lineno <= (stmt.end_lineno or start)


def users_of(module: Module, words: frozenset[str]) -> frozenset[str]:
    """The words, and the functions, classes and heirs that come to use one."""
    body = module.tree.body
    classes = [s for s in body if isinstance(s, ast.ClassDef)]
    users = [s for s in body if isinstance(s, ast.FunctionDef | ast.ClassDef)]
    while True:
        more = {
            user.name
            for user in users
            if user.name not in words and module.mentions(user, words)
        }
        more |= {
            cls.name
            for cls in classes
            if cls.name not in words and words & bases_of(cls)
        }
        if not more:
            return words
        words |= more


def bases_of(cls: ast.ClassDef) -> set[str]:
    """The last words of the names of the classes that a class is made of."""
    return {
        base.id if isinstance(base, ast.Name) else base.attr
        for base in cls.bases
        if isinstance(base, ast.Name | ast.Attribute)
    }
