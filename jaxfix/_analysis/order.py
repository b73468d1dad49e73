"""Which statement of a function can run after which: its control-flow graph."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from .objects import FunctionNode
from .scopes import evaluated_at_definition, walk_scope

COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


@dataclass(slots=True)
class _Targets:
    """Where `break` and `continue` go."""

    after: ast.stmt | None = None
    head: ast.stmt | None = None


@dataclass(slots=True)
class Graph:
    """The statements of one function or module, and what may follow on each."""

    next: dict[int, list[ast.stmt]] = field(default_factory=dict)
    statement: dict[int, ast.stmt] = field(default_factory=dict)  # by part
    position: dict[int, int] = field(default_factory=dict)
    loops: dict[int, ast.AST] = field(default_factory=dict)  # comprehension of a part

    def follows(
        self, first: ast.AST, second: ast.AST, fresh: frozenset[int] = frozenset()
    ) -> bool:
        """Can `second` run after `first` without a statement of `fresh` between?"""
        a, b = self.statement.get(id(first)), self.statement.get(id(second))
        if a is None or b is None:
            return False
        if a is b:
            if self.position[id(first)] < self.position[id(second)]:
                return True
            loop = self.loops.get(id(first))
            if loop is not None and loop is self.loops.get(id(second)):
                return True
        if id(b) in fresh:
            return False
        seen: set[int] = set()
        todo = list(self.next.get(id(a), ()))
        while todo:
            stmt = todo.pop()
            if stmt is b:
                return True
            if id(stmt) not in seen and id(stmt) not in fresh:
                seen.add(id(stmt))
                todo += self.next.get(id(stmt), ())
        return False


def graph_of(function: FunctionNode | ast.Module) -> Graph:
    """The graph of a function's own statements."""
    graph = Graph()
    body: list[ast.stmt]
    if isinstance(function, ast.Lambda):
        body = [ast.Expr(function.body)]
    else:
        body = function.body
    _block(graph, body, [], _Targets())
    return graph


def _block(
    graph: Graph,
    body: Sequence[ast.stmt],
    after: list[ast.stmt],
    targets: _Targets,
) -> list[ast.stmt]:
    """Link a block; what runs first when it is entered."""
    for stmt in reversed(body):
        after = _statement(graph, stmt, after, targets)
    return after


def _statement(
    graph: Graph, stmt: ast.stmt, after: list[ast.stmt], targets: _Targets
) -> list[ast.stmt]:
    following = graph.next.setdefault(id(stmt), [])
    match stmt:
        case ast.Return() | ast.Raise():
            pass
        case ast.Break():
            following += [targets.after] if targets.after is not None else []
        case ast.Continue():
            following += [targets.head] if targets.head is not None else []
        case ast.If():
            following += _block(graph, stmt.body, after, targets)
            following += _block(graph, stmt.orelse, after, targets)
        case ast.For() | ast.AsyncFor() | ast.While():
            rest = _block(graph, stmt.orelse, after, targets)
            inner = _Targets(after[0] if after else None, stmt)
            following += _block(graph, stmt.body, [stmt], inner)
            following += rest
        case ast.With() | ast.AsyncWith():
            following += _block(graph, stmt.body, after, targets)
        case ast.Try() | ast.TryStar():
            last = _block(graph, stmt.finalbody, after, targets)
            handlers = [
                s for h in stmt.handlers for s in _block(graph, h.body, last, targets)
            ]
            done = _block(graph, stmt.orelse, last, targets)
            following += _block(graph, stmt.body, done, targets)
            for inside in walk_scope(stmt.body):
                if isinstance(inside, ast.stmt):
                    graph.next.setdefault(id(inside), []).extend(handlers)
        case ast.Match():
            for case in stmt.cases:
                following += _block(graph, case.body, after, targets)
            following += after
        case _:
            following += after
    _index(graph, stmt, _parts(stmt))
    return [stmt]


def _parts(stmt: ast.stmt) -> Iterable[ast.AST]:
    """What a statement itself runs, in the order in which it runs it."""
    match stmt:
        case ast.If() | ast.While():
            return [stmt.test]
        case ast.For() | ast.AsyncFor():
            return [stmt.iter, stmt.target]
        case ast.With() | ast.AsyncWith():
            return stmt.items
        case ast.Try() | ast.TryStar():
            return [h.type for h in stmt.handlers if h.type is not None]
        case ast.Match():
            return [stmt.subject]
        case ast.Assign():
            return [stmt.value, *stmt.targets]
        case ast.AugAssign():
            return [stmt.value, stmt.target]
        case ast.AnnAssign():
            return [p for p in (stmt.value, stmt.target) if p is not None]
        case _:
            return [stmt]


def _index(graph: Graph, stmt: ast.stmt, parts: Iterable[ast.AST]) -> None:
    graph.statement[id(stmt)] = stmt
    graph.position.setdefault(id(stmt), 0)
    for part in parts:
        for node in _evaluation_order(part):
            graph.statement[id(node)] = stmt
            graph.position[id(node)] = len(graph.position)
    for part in parts:
        for node in walk_scope(part):
            if isinstance(node, COMPREHENSIONS):
                for inside in ast.walk(node):
                    graph.loops.setdefault(id(inside), node)


def _evaluation_order(node: ast.AST) -> Iterator[ast.AST]:
    """A node's parts, innermost first, without the bodies of nested functions."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
        parts = evaluated_at_definition(node)
    else:
        parts = [*ast.iter_child_nodes(node)]
    for part in parts:
        yield from _evaluation_order(part)
    yield node
