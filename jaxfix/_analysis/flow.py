"""One function: liveness, definite assignment and exits, on plain `ast`.

Everything here works on any list of statements, parsed or synthesised: nodes are told
apart by identity. Control flow in Python is structured, so the analyses are recursions
over the statements and need no graph; a loop is run until nothing changes, which is
twice.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeGuard

from .scopes import (
    FUNCTIONS,
    MUTATING_METHODS,
    Body,
    Code,
    FunctionNode,
    Names,
    NameSet,
    declared,
    evaluated_at_definition,
    free_names,
    imported_names,
    local_names,
    mutations,
    names,
    parameter_names,
    reads,
    root_name,
    scope_body,
    scope_names,
    walk_scope,
    writes,
)

__all__ = [
    "Body",
    "Code",
    "Flow",
    "FunctionNode",
    "NameSet",
    "Names",
    "bound_before",
    "definitely_writes",
    "exits",
    "free_names",
    "late_binding",
    "live_after",
    "live_in",
    "local_names",
    "mutations",
    "names",
    "reads",
    "scope_names",
    "uses_before_definite_write",
    "writes",
]

FALL, RETURN, BREAK, CONTINUE, RAISE = "fall", "return", "break", "continue", "raise"

# Calls whose result calls their argument later.
_WRAPPERS = frozenset(
    {
        *("jit", "grad", "value_and_grad", "vmap", "pmap", "shard_map", "named_call"),
        *("checkpoint", "remat", "custom_jvp", "custom_vjp", "jacfwd", "jacrev"),
        *("hessian", "partial", "wraps", "cache", "lru_cache", "list", "tuple", "dict"),
    }
)

_LOOPS = (ast.For, ast.AsyncFor, ast.While)
_NONE: NameSet = frozenset()


@dataclass(frozen=True, slots=True)
class _Effect:
    """What running a piece of code does to names.

    `uses` may be read before the code itself binds them; `binds` are certainly bound
    afterwards.
    """

    uses: NameSet = _NONE
    binds: NameSet = _NONE

    def then(self, after: _Effect) -> _Effect:
        return _Effect(self.uses | (after.uses - self.binds), self.binds | after.binds)

    def before(self, live: NameSet) -> NameSet:
        """The names that are live before, if `live` are live after."""
        return self.uses | (live - self.binds)


_NOTHING = _Effect()


def _maybe(effect: _Effect) -> _Effect:
    return _Effect(effect.uses)


def _sequence(code: Iterable[ast.AST | None]) -> _Effect:
    total = _NOTHING
    for node in code:
        if node is not None:
            total = total.then(_effect(node))
    return total


def _effect(node: ast.AST) -> _Effect:
    """The effect of an expression, a pattern or a statement without blocks."""
    match node:
        case ast.Name(id=name, ctx=ast.Load()):
            return _Effect(frozenset({name}))
        case ast.Name(id=name, ctx=ast.Store()):
            return _Effect(binds=frozenset({name}))
        case ast.Name(id=name):
            # `del x` wants x to be bound.
            return _Effect(frozenset({name}), frozenset({name}))
        case ast.Constant() | ast.Global() | ast.Nonlocal():
            return _NOTHING
        case ast.NamedExpr() | ast.Assign():
            targets = [node.target] if isinstance(node, ast.NamedExpr) else node.targets
            return _sequence([node.value, *targets])
        case ast.AugAssign(target=ast.Name(id=name)):
            own = frozenset({name})
            return _Effect(own).then(_effect(node.value)).then(_Effect(binds=own))
        case ast.AnnAssign():
            return _sequence([node.value, node.target]) if node.value else _NOTHING
        case ast.BoolOp():
            return _short_circuit(node.values)
        case ast.Compare():
            first, *rest = node.comparators
            return _sequence([node.left, first]).then(
                _maybe(_short_circuit(rest)) if rest else _NOTHING
            )
        case ast.IfExp():
            body, orelse = _effect(node.body), _effect(node.orelse)
            either = _Effect(body.uses | orelse.uses, body.binds & orelse.binds)
            return _effect(node.test).then(either)
        case ast.Assert():
            message = _effect(node.msg) if node.msg else _NOTHING
            return _effect(node.test).then(_maybe(message))
        case ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
            return _comprehension_effect(node)
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.Lambda():
            now = _sequence(evaluated_at_definition(node))
            defined = _NONE if isinstance(node, ast.Lambda) else frozenset({node.name})
            return now.then(_Effect(frozenset(free_names(node)), defined))
        case ast.ClassDef():
            now = _sequence([*node.decorator_list, *node.bases, *node.keywords])
            body = _Effect(frozenset(free_names(node)), frozenset({node.name}))
            return now.then(body)
        case ast.Import() | ast.ImportFrom():
            return _Effect(binds=frozenset(imported_names(node)))
        case ast.MatchOr():
            return _either(_effect(pattern) for pattern in node.patterns)
        case ast.pattern():
            own = frozenset(writes(node))
            return _Effect(frozenset(reads(node)), own)
        case _:
            return _sequence(ast.iter_child_nodes(node))


def _short_circuit(values: Sequence[ast.expr]) -> _Effect:
    total = _effect(values[-1])
    for value in reversed(values[:-1]):
        total = _effect(value).then(_maybe(total))
    return total


def _outcome(test: ast.expr, holds: bool) -> _Effect:
    """The effect of a test that comes out so: then all parts of an `and` were run."""
    match test:
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return _outcome(operand, not holds)
        case ast.BoolOp(op=op, values=values) if isinstance(op, ast.And) == holds:
            total = _NOTHING
            for value in values:
                total = total.then(_outcome(value, holds))
            return total
        case _:
            return _effect(test)


def _either(effects: Iterable[_Effect]) -> _Effect:
    first, *rest = effects
    for other in rest:
        first = _Effect(first.uses | other.uses, first.binds & other.binds)
    return first


def _comprehension_effect(
    node: ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp,
) -> _Effect:
    first, *rest = node.generators
    inner: list[ast.AST] = [first.target, *first.ifs]
    for generator in rest:
        inner += [generator.iter, generator.target, *generator.ifs]
    inner += [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
    return _effect(first.iter).then(_maybe(_sequence(inner)))


@dataclass(frozen=True, slots=True)
class _Ways:
    """What is live where control goes when it does not fall through."""

    on_break: NameSet
    on_continue: NameSet
    on_return: NameSet
    on_raise: NameSet


class _Liveness:
    """Backward analysis. `after` collects what is live after each statement, by id."""

    def __init__(self, closures: dict[str, NameSet], always: NameSet) -> None:
        self.closures = closures
        self.always = always
        self.after: dict[int, NameSet] = {}
        self._effects: dict[int, tuple[ast.AST, _Effect]] = {}

    def effect(self, node: ast.AST) -> _Effect:
        # The node is kept beside its effect, or its id could be given to another.
        known = self._effects.get(id(node))
        if known is None:
            known = self._effects[id(node)] = (node, _effect(node))
        return known[1]

    def test(self, test: ast.expr, held: NameSet, failed: NameSet) -> NameSet:
        """What is live before a test, by what is live where it held or failed."""
        if not isinstance(test, ast.BoolOp | ast.UnaryOp):
            return self.effect(test).before(held | failed)
        return _outcome(test, True).before(held) | _outcome(test, False).before(failed)

    def close(self, live: NameSet) -> NameSet:
        """With the free names of each live function, which a call would read."""
        live |= self.always
        while more := {
            name
            for function in live & self.closures.keys()
            for name in self.closures[function] - live
        }:
            live |= more
        return live

    def block(self, stmts: Sequence[ast.stmt], live: NameSet, ways: _Ways) -> NameSet:
        live = self.close(live)
        for stmt in reversed(stmts):
            self.after[id(stmt)] = self.after.get(id(stmt), _NONE) | live
            # A statement may raise before it has bound anything.
            live = self.close(self.statement(stmt, live, ways) | ways.on_raise)
        return live

    def statement(self, stmt: ast.stmt, live: NameSet, ways: _Ways) -> NameSet:
        match stmt:
            case ast.Break():
                return ways.on_break
            case ast.Continue():
                return ways.on_continue
            case ast.Return():
                return self.effect(stmt).before(ways.on_return)
            case ast.Raise():
                return self.effect(stmt).before(ways.on_raise)
            case ast.If():
                inner = self.block(stmt.body, live, ways)
                other = self.block(stmt.orelse, live, ways)
                return self.test(stmt.test, inner, other)
            case ast.While():
                return self.while_(stmt, live, ways)
            case ast.For() | ast.AsyncFor():
                return self.for_(stmt, live, ways)
            case ast.With() | ast.AsyncWith():
                return self.with_(stmt, live, ways)
            case ast.Try():
                return self.try_(stmt, live, ways)
            case ast.TryStar():
                return self.try_(stmt, live, ways)
            case ast.Match():
                return self.match_(stmt, live, ways)
            case _:
                return self.effect(stmt).before(live)

    def while_(self, stmt: ast.While, live: NameSet, ways: _Ways) -> NameSet:
        done = _NONE
        if not is_endless(stmt):
            done = self.block(stmt.orelse, live, ways)
        head = self.test(stmt.test, _NONE, done)
        while True:
            inside = replace(ways, on_break=live, on_continue=head)
            body = self.block(stmt.body, head, inside)
            new = head | self.test(stmt.test, body, done)
            if new == head:
                return head
            head = new

    def for_(self, stmt: ast.For | ast.AsyncFor, live: NameSet, ways: _Ways) -> NameSet:
        head = self.block(stmt.orelse, live, ways)
        while True:
            inside = replace(ways, on_break=live, on_continue=head)
            body = self.block(stmt.body, head, inside)
            new = head | self.effect(stmt.target).before(body)
            if new == head:
                return self.effect(stmt.iter).before(head)
            head = new

    def with_(
        self, stmt: ast.With | ast.AsyncWith, live: NameSet, ways: _Ways
    ) -> NameSet:
        inside = ways
        if _may_suppress(stmt):
            inside = replace(ways, on_raise=ways.on_raise | live)
        body = self.block(stmt.body, live, inside)
        for item in reversed(stmt.items):
            if item.optional_vars is not None:
                body = self.effect(item.optional_vars).before(body)
            body = self.effect(item.context_expr).before(body)
        return body

    def try_(self, stmt: ast.Try | ast.TryStar, live: NameSet, ways: _Ways) -> NameSet:
        if stmt.finalbody:
            final = _Ways(
                *(
                    self.block(stmt.finalbody, way, ways)
                    for way in (
                        ways.on_break,
                        ways.on_continue,
                        ways.on_return,
                        ways.on_raise,
                    )
                )
            )
            live = self.block(stmt.finalbody, live, ways)
            ways = replace(final, on_raise=final.on_raise | ways.on_raise)
        caught = ways.on_raise
        for handler in stmt.handlers:
            body = self.block(handler.body, live, ways)
            if handler.name is not None:
                body -= {handler.name}
            if handler.type is not None:
                body = self.effect(handler.type).before(body)
            caught |= body
        orelse = self.block(stmt.orelse, live, ways)
        return self.block(stmt.body, orelse, replace(ways, on_raise=caught)) | caught

    def match_(self, stmt: ast.Match, live: NameSet, ways: _Ways) -> NameSet:
        rest = live
        for case in reversed(stmt.cases):
            body = self.block(case.body, live, ways)
            if case.guard is not None:
                body = self.effect(case.guard).before(body | rest)
            body = self.effect(case.pattern).before(body)
            rest = body if _always_matches(case) else body | rest
        return self.effect(stmt.subject).before(rest)


def is_endless(loop: ast.While) -> bool:
    """`while True`, unless its exits have become a flag that ends it."""
    is_true = isinstance(loop.test, ast.Constant) and bool(loop.test.value)
    return is_true and getattr(loop, "done", None) is None


def _always_matches(case: ast.match_case) -> bool:
    return (
        case.guard is None
        and isinstance(case.pattern, ast.MatchAs)
        and case.pattern.pattern is None
    )


def _may_suppress(stmt: ast.With | ast.AsyncWith) -> bool:
    """Is it one of the context managers that are known to swallow exceptions?"""
    for item in stmt.items:
        call = item.context_expr
        if isinstance(call, ast.Call):
            function = call.func
            name = function.attr if isinstance(function, ast.Attribute) else ""
            name = function.id if isinstance(function, ast.Name) else name
            if name in ("suppress", "raises"):
                return True
    return False


def live_in(
    stmts: Sequence[ast.stmt],
    live_out: NameSet,
    *,
    on_break: NameSet | None = None,
    on_continue: NameSet | None = None,
    on_return: NameSet = _NONE,
) -> NameSet:
    """The names whose value on entry to `stmts` may be read, in them or after them.

    Args:
      stmts: any list of statements.
      live_out: what is live where `stmts` fall through.
      on_break: what is live where a `break` of an enclosing loop goes; else `live_out`.
      on_continue: what is live at the head of the enclosing loop; else `live_out`.
      on_return: what is live after a `return`.
    """
    ways = _Ways(
        live_out if on_break is None else on_break,
        live_out if on_continue is None else on_continue,
        on_return,
        _NONE,
    )
    return _Liveness(_closures(stmts), _NONE).block(stmts, live_out, ways)


def uses_before_definite_write(code: Code) -> Names:
    """The names whose value on entry may be read, in source order."""
    if isinstance(code, ast.AST) and not isinstance(code, ast.stmt):
        exposed = _effect(code).uses
    else:
        exposed = _Liveness({}, _NONE).block(
            _statements(code), _NONE, _Ways(_NONE, _NONE, _NONE, _NONE)
        )
    return tuple(n for n in names(code) if n in exposed)


def _statements(code: Code) -> list[ast.stmt]:
    """`code` as statements; an expression (a lambda's body) as a statement."""
    nodes = [code] if isinstance(code, ast.AST) else code
    return [
        node if isinstance(node, ast.stmt) else ast.Expr(node)  # type: ignore[arg-type]
        for node in nodes
    ]


def _closures(code: Code) -> dict[str, NameSet]:
    """The names that hold a function made here → the names that a call would read."""
    held: dict[str, set[str]] = {}
    for node in walk_scope(code):
        if isinstance(node, FUNCTIONS):
            held.setdefault(node.name, set()).update(free_names(node))
    changed = True
    while changed:
        changed = False
        for target, value in _bindings(code):
            found = _held_by(value, held)
            if found - held.get(target, set()):
                held.setdefault(target, set()).update(found)
                changed = True
    return {name: frozenset(free) for name, free in held.items()}


def _bindings(code: Code) -> Iterator[tuple[str, ast.expr]]:
    """(name, value) of assignments, and of calls that put a value into a container."""
    for node in walk_scope(code):
        match node:
            case ast.Assign():
                for target in node.targets:
                    base = root_name(target)
                    for name in (base,) if base else writes(target):
                        yield name, node.value
            case ast.AnnAssign(value=ast.expr() as value) | ast.NamedExpr(value=value):
                if (base := root_name(node.target)) is not None:
                    yield base, value
            case ast.Call(func=ast.Attribute(value=value, attr=attr)):
                if attr in MUTATING_METHODS and (base := root_name(value)) is not None:
                    for argument in node.args:
                        yield base, argument


def _held_by(value: ast.expr, held: dict[str, set[str]]) -> set[str]:
    """The names that the functions which `value` is or contains read when called."""
    match value:
        case ast.Name(id=name):
            return held.get(name, set())
        case ast.Lambda() | ast.GeneratorExp():
            return set(_looked_up_later(value))
        case ast.Call(func=function, args=arguments, keywords=keywords):
            last = function.attr if isinstance(function, ast.Attribute) else ""
            last = function.id if isinstance(function, ast.Name) else last
            parts = [*arguments, *(k.value for k in keywords)]
            if last not in _WRAPPERS:
                return set()
        case ast.Tuple(elts=parts) | ast.List(elts=parts) | ast.Set(elts=parts):
            pass
        case ast.Dict(values=parts):
            pass
        case ast.IfExp():
            parts = [value.body, value.orelse]
        case ast.ListComp():
            parts = [value.elt]
        case _:
            return set()
    return {name for part in parts for name in _held_by(part, held)}


class _Definite:
    """Forward analysis: the names that are bound for certain; None is "unreachable".

    `before` collects what is bound before each statement, by id.
    """

    def __init__(self) -> None:
        self.before: dict[int, NameSet] = {}
        self._breaks: list[list[NameSet]] = []

    def block(self, stmts: Sequence[ast.stmt], bound: NameSet | None) -> NameSet | None:
        for stmt in stmts:
            if bound is None:
                return None
            key = id(stmt)
            self.before[key] = self.before.get(key, bound) & bound
            bound = self.statement(stmt, bound)
        return bound

    def statement(self, stmt: ast.stmt, bound: NameSet) -> NameSet | None:
        match stmt:
            case ast.Return() | ast.Raise():
                return None
            case ast.Break() | ast.Continue():
                if isinstance(stmt, ast.Break) and self._breaks:
                    self._breaks[-1].append(bound)
                return None
            case ast.Delete():
                return bound - frozenset(writes(stmt))
            case ast.If():
                body = self.block(stmt.body, bound | _outcome(stmt.test, True).binds)
                bound |= _outcome(stmt.test, False).binds
                return _meet(body, self.block(stmt.orelse, bound))
            case ast.While() | ast.For() | ast.AsyncFor():
                return self.loop(stmt, bound)
            case ast.With() | ast.AsyncWith():
                for item in stmt.items:
                    bound |= _sequence([item.context_expr, item.optional_vars]).binds
                body = self.block(stmt.body, bound)
                return _meet(body, bound) if _may_suppress(stmt) else body
            case ast.Try() | ast.TryStar():
                return self.try_(stmt, bound)
            case ast.Match():
                return self.match_(stmt, bound)
            case _:
                return bound | _effect(stmt).binds

    def loop(
        self, stmt: ast.While | ast.For | ast.AsyncFor, bound: NameSet
    ) -> NameSet | None:
        endless = False
        if isinstance(stmt, ast.While):
            head = (bound - _deleted(stmt.body)) | _effect(stmt.test).binds
            inside = head
            endless = is_endless(stmt)
        else:
            head = (bound | _effect(stmt.iter).binds) - _deleted(stmt.body)
            inside = head | _effect(stmt.target).binds
        self._breaks.append([])
        self.block(stmt.body, inside)
        breaks = self._breaks.pop()
        done = None if endless else self.block(stmt.orelse, head)
        for other in breaks:
            done = _meet(done, other)
        return done

    def try_(self, stmt: ast.Try | ast.TryStar, bound: NameSet) -> NameSet | None:
        caught = bound - _deleted(stmt.body)
        done = self.block(stmt.orelse, self.block(stmt.body, bound))
        for handler in stmt.handlers:
            start = caught | (_effect(handler.type).binds if handler.type else _NONE)
            name = frozenset({handler.name} if handler.name else ())
            end = self.block(handler.body, start | name)
            done = _meet(done, None if end is None else end - name)
        if not stmt.finalbody:
            return done
        # `finally` also runs after an exception, with what was bound before.
        after_exception = self.block(stmt.finalbody, caught)
        if done is None or after_exception is None:
            return None
        return self.block(stmt.finalbody, done)

    def match_(self, stmt: ast.Match, bound: NameSet) -> NameSet | None:
        bound |= _effect(stmt.subject).binds
        done: NameSet | None = None
        for case in stmt.cases:
            guard = _effect(case.guard).binds if case.guard else _NONE
            start = bound | _effect(case.pattern).binds | guard
            done = _meet(done, self.block(case.body, start))
        if not any(_always_matches(case) for case in stmt.cases):
            done = _meet(done, bound)
        return done


def _meet(a: NameSet | None, b: NameSet | None) -> NameSet | None:
    if a is None or b is None:
        return b if a is None else a
    return a & b


def _deleted(stmts: Sequence[ast.stmt]) -> NameSet:
    found = (n for n in walk_scope(stmts) if isinstance(n, ast.Delete))
    return frozenset(name for node in found for name in writes(node))


def definitely_writes(stmts: Code) -> Names:
    """The names bound on every path that falls through; empty if none does."""
    if isinstance(stmts, ast.AST) and not isinstance(stmts, ast.stmt):
        bound: NameSet | None = _effect(stmts).binds
    else:
        bound = _Definite().block(_statements(stmts), _NONE)
    return tuple(n for n in writes(stmts) if n in (bound or _NONE))


def exits(stmts: Sequence[ast.stmt]) -> NameSet:
    """How `stmts` may end: "fall", "return", "break", "continue", "raise".

    "raise" is that of a `raise` statement; that any call may raise is not counted.
    """
    found: NameSet = frozenset({FALL})
    for stmt in stmts:
        found = (found - {FALL}) | _exits_of(stmt)
        if FALL not in found:
            break
    return found


def _exits_of(stmt: ast.stmt) -> NameSet:
    match stmt:
        case ast.Return():
            return frozenset({RETURN})
        case ast.Break():
            return frozenset({BREAK})
        case ast.Continue():
            return frozenset({CONTINUE})
        case ast.Raise():
            return frozenset({RAISE})
        case ast.If():
            return exits(stmt.body) | exits(stmt.orelse)
        case ast.While() | ast.For() | ast.AsyncFor():
            return _loop_exits(stmt)
        case ast.With() | ast.AsyncWith():
            body = exits(stmt.body)
            return body | {FALL} if _may_suppress(stmt) else body
        case ast.Try() | ast.TryStar():
            body = exits([*stmt.body, *stmt.orelse])
            handled = body.union(*(exits(h.body) for h in stmt.handlers))
            final = exits(stmt.finalbody)
            return handled | (final - {FALL}) if FALL in final else final
        case ast.Match():
            cases = _NONE.union(*(exits(case.body) for case in stmt.cases))
            complete = any(_always_matches(case) for case in stmt.cases)
            return cases if complete else cases | {FALL}
        case _:
            return frozenset({FALL})


def _loop_exits(stmt: ast.While | ast.For | ast.AsyncFor) -> NameSet:
    body = exits(stmt.body)
    endless = isinstance(stmt, ast.While) and is_endless(stmt)
    after = _NONE if endless else exits(stmt.orelse)
    if BREAK in body:
        after |= {FALL}
    return after | (body - {FALL, BREAK, CONTINUE})


class Flow:
    """The answers for one function, computed once."""

    def __init__(self, function: Body) -> None:
        self.function = function
        body = _statements(scope_body(function))
        always = _shared_names(body)
        self._liveness = _Liveness(_closures(body), always)
        self._liveness.block(body, _NONE, _Ways(_NONE, _NONE, _NONE, _NONE))
        self._definite = _Definite()
        bound = _NONE
        if isinstance(function, (*FUNCTIONS, ast.Lambda)):
            bound = frozenset(parameter_names(function))
        self._definite.block(body, bound)

    def live_after(self, stmt: ast.stmt) -> NameSet:
        """The names whose value immediately after `stmt` may still be read."""
        return self._answer(self._liveness.after, stmt)

    def bound_before(self, stmt: ast.stmt) -> NameSet:
        """The names that are certainly bound when `stmt` begins.

        For a statement that cannot be reached, those of no path: the empty set.
        """
        self._answer(self._liveness.after, stmt)
        return self._definite.before.get(id(stmt), _NONE)

    def live_in(
        self,
        stmts: Sequence[ast.stmt],
        live_out: NameSet,
        *,
        on_break: NameSet | None = None,
        on_continue: NameSet | None = None,
    ) -> NameSet:
        """As the function of that name, for statements that stand in this function."""
        ways = _Ways(
            live_out if on_break is None else on_break,
            live_out if on_continue is None else on_continue,
            _NONE,
            _NONE,
        )
        inner = _Liveness(
            self._liveness.closures | _closures(stmts), self._liveness.always
        )
        return inner.block(stmts, live_out, ways)

    def _answer(self, table: dict[int, NameSet], stmt: ast.stmt) -> NameSet:
        if id(stmt) not in table:
            raise ValueError(
                f"expected a statement of the function itself, got {ast.dump(stmt)}"
            )
        return table[id(stmt)]


def _shared_names(body: Sequence[ast.stmt]) -> NameSet:
    """Names that others may read or bind at any time: global and nonlocal ones."""
    shared = declared(body, ast.Global) | declared(body, ast.Nonlocal)
    for node in walk_scope(body):
        if isinstance(node, FUNCTIONS):
            for inner in ast.walk(node):
                if isinstance(inner, ast.Nonlocal):
                    shared.update(inner.names)
    return frozenset(shared)


def live_after(function: Body, stmt: ast.stmt) -> NameSet:
    """See `Flow.live_after`, which gives many answers at the price of one."""
    return Flow(function).live_after(stmt)


def bound_before(function: Body, stmt: ast.stmt) -> NameSet:
    """See `Flow.bound_before`, which gives many answers at the price of one."""
    return Flow(function).bound_before(stmt)


def late_binding(function: Body, name: str) -> tuple[ast.AST, ...]:
    """The closures that read `name` and were made before a later binding of it.

    A closure reads a variable when it is called. One that is made in a loop is "before"
    every binding in that loop.
    """
    closures: list[tuple[int, NameSet, ast.AST]] = []
    bindings: list[tuple[int, NameSet, ast.AST]] = []
    for index, (loops, node) in enumerate(_simple_parts(scope_body(function), _NONE)):
        if name in writes(node):
            bindings.append((index, loops, node))
        for inner in walk_scope(node):
            if _is_closure(inner) and name in _looked_up_later(inner):
                closures.append((index, loops, inner))
    return tuple(
        closure
        for at, loops, closure in closures
        if any(
            closure is not binding and (after >= at or loops & other)
            for after, other, binding in bindings
        )
    )


def _is_closure(node: ast.AST) -> TypeGuard[FunctionNode | ast.GeneratorExp]:
    return isinstance(node, (*FUNCTIONS, ast.Lambda, ast.GeneratorExp))


def _looked_up_later(closure: FunctionNode | ast.GeneratorExp) -> Names:
    """The names that a closure looks up when it runs and not where it is made."""
    if not isinstance(closure, ast.GeneratorExp):
        return free_names(closure)
    first, *rest = closure.generators
    late = ast.comprehension(
        first.target, ast.Constant(None), first.ifs, first.is_async
    )
    return reads(ast.GeneratorExp(closure.elt, [late, *rest]))


def _simple_parts(
    stmts: Iterable[ast.AST], loops: frozenset[str]
) -> Iterator[tuple[frozenset[str], ast.AST]]:
    """Simple statements and headers in source order, each with the loops it is in."""
    for stmt in stmts:
        blocks = [
            (field, value)
            for field, value in ast.iter_fields(stmt)
            if field in ("body", "orelse", "finalbody", "handlers", "cases")
            and isinstance(value, list)
        ]
        if isinstance(stmt, (*FUNCTIONS, ast.ClassDef)) or not blocks:
            yield loops, stmt
            continue
        inside = loops | {str(id(stmt))} if isinstance(stmt, _LOOPS) else loops
        in_blocks = {id(node) for _, value in blocks for node in value}
        for header in ast.iter_child_nodes(stmt):
            if id(header) not in in_blocks:
                yield inside, header
        if isinstance(stmt, ast.ExceptHandler) and stmt.name:
            yield inside, ast.Name(stmt.name, ast.Store())
        for field, value in blocks:
            yield from _simple_parts(value, inside if field == "body" else loops)
