"""Branches and loops on traced values as `lax` operations: new statements from old.

The input comes from `desugar.py`: exits are gone, every `if` and loop that must be
rewritten is marked `traced` or `desugared`. The output is plain statements in which
those have become `jnp.where`, `lax.cond`, `fori_loop`, `while_loop` with local
functions for bodies.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from jaxfix._analysis import build
from jaxfix._analysis.closures import moving_obstacle
from jaxfix._analysis.effects import obstacle
from jaxfix._analysis.finding import CannotFix
from jaxfix._analysis.flow import definitely_writes, exits, uses_before_definite_write
from jaxfix._analysis.jax_api import lookup
from jaxfix._analysis.scopes import mutations, writes
from jaxfix._analysis.values import (
    Array,
    Value,
    join,
)

from .agree import collapse
from .blocks import LEAVES, Blocked, copy_with, either, same_code
from .branches import branch, check_moved, returning
from .carries import first_rounds
from .choices import Choices
from .context import Context, NameSet, Types
from .for_loops import for_loop
from .guards import not_none, without_none
from .retyping import assigned_type, is_open, settled_type
from .while_loops import while_loop


@dataclass(slots=True)
class Functional(Choices):
    """Rewrites the marked statements of one function."""

    carried: tuple[str, ...] = ()  # by the innermost loop, in its order

    def block(
        self, stmts: Sequence[ast.stmt], live: NameSet, context: Context
    ) -> list[ast.stmt]:
        """Rewrite a block; `context` is brought up to its end."""
        out: list[ast.stmt] = []
        for index, stmt in enumerate(stmts):
            rest = stmts[index + 1 :]
            if isinstance(stmt, ast.FunctionDef) and build.is_new(stmt):
                check_moved(self, stmt, stmt.body)
                if (why := moving_obstacle(self.fn, stmt.body)) is not None:
                    raise Blocked(stmt, why)
            if is_marked(stmt):
                after = self.fn.flow.live_in(rest, live)
                try:
                    out += self.marked(stmt, after, context)
                except Blocked:
                    raise
                except CannotFix as error:
                    raise Blocked(stmt, str(error)) from error
            elif holds_marked(stmt):
                after = self.fn.flow.live_in(rest, live)
                out += self.compound(stmt, after, context)
            else:
                out.append(stmt)
                self.advance(stmt, context)
        return out

    def loop_body(
        self,
        body: Sequence[ast.stmt],
        carried: Sequence[str],
        live: NameSet,
        context: Context,
    ) -> list[ast.stmt]:
        """The body of a loop of `lax` that carries these names."""
        outer, self.carried = self.carried, tuple(carried)
        try:
            return self.block(body, live, context)
        finally:
            self.carried = outer

    def marked(self, stmt: ast.stmt, live: NameSet, context: Context) -> list[ast.stmt]:
        stmt = without_deletes(stmt)
        match stmt:
            case ast.If():
                stmt = self.merged(stmt)
                if exits(stmt.body) == exits(stmt.orelse) == {"return"}:
                    return returning(self, stmt, context)
                both = exits(stmt.body) | exits(stmt.orelse)
                if "fall" in both and both & LEAVES:
                    # A mistake of ours: never write code that lost an exit.
                    raise Blocked(stmt, "one branch leaves and the other goes on")
                return branch(self, stmt, live, context)
            case ast.While():
                return while_loop(self, stmt, live, context)
            case ast.For():
                return for_loop(self, stmt, live, context)
            case _:
                raise CannotFix("a statement of this kind cannot be rewritten")

    def merged(self, node: ast.If) -> ast.If:
        """`if a: F else: if b: F else: R` as `if a or b: F else: R`."""
        match node.orelse:
            case [ast.If() as inner] if (
                getattr(inner, "traced", False)
                and node.body
                and same_code(node.body, inner.body)
                and self.is_quick(inner.test)
            ):
                made = copy_with(inner, test=either(node.test, inner.test))
                made.origin = build.source_of(node)  # type: ignore[attr-defined]
                assert isinstance(made, ast.If), "a copy of an if is an if"
                return self.merged(made)
            case _:
                return node

    def is_quick(self, test: ast.expr) -> bool:
        """May a condition be asked in vain? A few operations may, and a single draw."""
        if obstacle(self.fn, test) is not None:
            return False
        for node in ast.walk(test):
            match node:
                case ast.NamedExpr() | ast.comprehension() | ast.MatMult():
                    return False
                case ast.Call(args=args, keywords=keywords):
                    api = lookup(self.fn.library(node) or "")
                    if api is None or not api.pure:
                        return False
                    draw = api.result == "random" and len(args) == 1 and not keywords
                    if not (api.cheap or draw):
                        return False
        return True

    def compound(
        self, stmt: ast.stmt, live: NameSet, context: Context
    ) -> list[ast.stmt]:
        """A statement that stays Python and has rewritten ones inside."""
        match stmt:
            case ast.If():
                first, second = context.copy(), context.copy()
                for branch, holds in ((first, True), (second, False)):
                    for name in not_none(stmt.test, holds=holds):
                        if (known := without_none(branch.types.get(name))) is not None:
                            branch.types[name] = known
                made = copy_with(
                    stmt,
                    body=self.block(stmt.body, live, first),
                    orelse=self.block(stmt.orelse, live, second),
                )
                self.join(context, first, second, exits(stmt.body), exits(stmt.orelse))
                return [made]
            case ast.For() | ast.While():
                head = self.fn.flow.live_in([stmt], live) | live
                inner = context.copy()
                self.enter_loop(stmt, inner)
                body = self.block(stmt.body, head, inner)
                orelse = self.block(stmt.orelse, live, context.copy())
                before = first_rounds(self, stmt, body, context)
                for name, value in inner.types.items():
                    context.types[name] = value
                return [*before, copy_with(stmt, body=body, orelse=orelse)]
            case ast.With():
                for item in stmt.items:
                    if item.optional_vars is not None:
                        self.bind_targets(item.optional_vars, context)
                return [copy_with(stmt, body=self.block(stmt.body, live, context))]
            case ast.Try():
                final_live = self.fn.flow.live_in(stmt.finalbody, live)
                handlers: NameSet = frozenset()
                for handler in stmt.handlers:
                    handlers |= self.fn.flow.live_in(handler.body, final_live)
                body_live = self.fn.flow.live_in(stmt.orelse, final_live) | handlers
                made = copy_with(
                    stmt,
                    body=self.block(stmt.body, body_live, context),
                    orelse=self.block(stmt.orelse, final_live, context),
                    finalbody=self.block(stmt.finalbody, live, context),
                )
                return [made]
            case ast.FunctionDef() if build.is_new(stmt):
                inner = context.copy()
                parameters = {a.arg for a in stmt.args.args}
                inner.bound |= parameters
                for name in parameters:
                    # Its callers pass what the branches made of it.
                    inner.types.pop(name, None)
                    known = self.first_read(name, stmt)
                    if known is not None:
                        inner.types[name] = known
                body = self.block(stmt.body, frozenset(), inner)
                return [
                    build.function(stmt.name, [a.arg for a in stmt.args.args], body)
                ]
            case _:
                raise Blocked(stmt, "a statement of this kind cannot be rewritten")

    def first_read(self, name: str, stmt: ast.AST) -> Value | None:
        """What a name is where a statement reads it first."""
        for node in ast.walk(stmt):
            if (
                isinstance(node, ast.Name)
                and node.id == name
                and isinstance(node.ctx, ast.Load)
            ):
                return collapse(self.fn.value(node))
        return None

    def join(
        self,
        context: Context,
        first: Context,
        second: Context,
        first_exits: NameSet,
        second_exits: NameSet,
    ) -> None:
        if "fall" not in first_exits:
            context.types, context.bound = second.types, second.bound
        elif "fall" not in second_exits:
            context.types, context.bound = first.types, first.bound
        else:
            context.bound = first.bound & second.bound
            context.types = {
                name: value
                for name, value in first.types.items()
                if second.types.get(name) == value
            }

    def advance(self, stmt: ast.stmt, context: Context) -> None:
        """Bring `context` over a statement that is not rewritten."""
        match stmt:
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if build.is_new(
                stmt
            ):
                known = self.value(value, context.types)
                context.types.pop(name, None)
                if known is not None:
                    context.types[name] = known
            case ast.FunctionDef(name=name) if not build.is_new(stmt):
                context.types.pop(name, None)
                made = self.fn.facts.interpreter.functions.get(id(stmt))
                if made is not None:
                    context.types[name] = made
            case _:
                assigned = assigned_type(self.fn, stmt, context.types)
                changed = {name for name, _ in mutations([stmt])}
                sure = {*definitely_writes([stmt]), *changed}
                kept: Types = {}
                for name in (*writes([stmt]), *changed):
                    before = context.types.pop(name, None)
                    if before is not None and name not in sure:
                        kept[name] = before
                nodes = [*ast.walk(stmt)]
                # Of these the value is known with the statement.
                steps = {id(n.target) for n in nodes if isinstance(n, ast.AugAssign)}
                for node in nodes:
                    if id(node) not in steps:
                        self.learn(node, context)
                if assigned is not None:
                    context.types[writes([stmt])[0]] = assigned
                for name, before in kept.items():
                    if (later := context.types.get(name)) is not None:
                        context.types[name] = join(before, later)
                    elif not self.reaches(stmt, name):
                        context.types[name] = before
        context.bound |= set(definitely_writes([stmt]))

    def reaches(self, stmt: ast.stmt, name: str) -> bool:
        """May a statement in `stmt` bind the name? One that no run reached does not."""
        simple = ast.Assign | ast.AnnAssign | ast.AugAssign
        dead = [
            inner
            for inner in ast.walk(stmt)
            if isinstance(inner, simple)
            and not build.is_new(inner)
            and not self.fn.facts.reached(inner)
        ]
        return _stores(stmt, name) > sum(_stores(inner, name) for inner in dead)

    def learn(self, node: ast.AST, context: Context) -> None:
        """The type of a name from the analysis, where a statement binds it."""
        if (fact := getattr(node, "fact", None)) is not None and isinstance(
            node, ast.Name
        ):
            context.types[node.id] = fact
            return
        match node:
            case ast.AugAssign(target=ast.Name(id=name) as target):
                found = self.fn.value(node) or self.fn.value(target)
            case ast.Name(id=name, ctx=ast.Store()):
                found = self.fn.value(node)
            case _:
                return
        known = collapse(found)
        if known is not None:
            context.types[name] = known

    def bind_targets(self, target: ast.expr, context: Context) -> None:
        for node in ast.walk(target):
            self.learn(node, context)
        context.bound |= set(writes(target))

    def enter_loop(self, stmt: ast.For | ast.While, context: Context) -> None:
        """Types inside a loop: those that hold at every iteration."""
        source = build.source_of(stmt)
        heads = self.fn.facts.interpreter.loop_heads.get(id(source), {})
        for name in writes([stmt]):
            known = collapse(heads.get(name))
            before = collapse(context.types.pop(name, None))
            if isinstance(known, Array) and is_open(known):
                known = settled_type(self.fn, source, name, before) or known
            if known is not None:
                context.types[name] = known
        if isinstance(stmt, ast.For):
            self.bind_targets(stmt.target, context)


def _stores(node: ast.AST, name: str) -> int:
    return sum(
        isinstance(n, ast.Name) and n.id == name and not isinstance(n.ctx, ast.Load)
        for n in ast.walk(node)
    )


def without_deletes(stmt: ast.stmt) -> ast.stmt:
    """Without `del x` of what a block of it binds: it is gone at the end anyway."""
    blocks: dict[str, list[ast.stmt]] = {}
    for part in ("body", "orelse"):
        block: list[ast.stmt] = getattr(stmt, part, [])
        local = set(writes(block)) - set(uses_before_definite_write(block))
        if any(is_delete(s, local) for s in block):
            blocks[part] = [s for s in block if not is_delete(s, local)]
    return copy_with(stmt, **blocks) if blocks else stmt


def is_delete(stmt: ast.stmt, local: set[str]) -> bool:
    return isinstance(stmt, ast.Delete) and all(
        isinstance(t, ast.Name) and t.id in local for t in stmt.targets
    )


def is_marked(stmt: ast.stmt) -> bool:
    if isinstance(stmt, ast.If):
        return bool(getattr(stmt, "traced", False))
    return isinstance(stmt, ast.For | ast.While) and bool(
        getattr(stmt, "desugared", False)
        and (getattr(stmt, "traced", False) or getattr(stmt, "done", None))
    )


def holds_marked(stmt: ast.stmt) -> bool:
    return any(is_marked(s) for s in inner_statements(stmt))


def inner_statements(stmt: ast.stmt) -> Iterator[ast.stmt]:
    blocks: list[ast.stmt] = []
    for part in ("body", "orelse", "finalbody"):
        blocks += [s for s in getattr(stmt, part, []) if isinstance(s, ast.stmt)]
    if isinstance(stmt, ast.FunctionDef | ast.ClassDef) and not build.is_new(stmt):
        return
    for handler in getattr(stmt, "handlers", []):
        blocks += handler.body
    for case in getattr(stmt, "cases", []):
        blocks += case.body
    for inner in blocks:
        yield inner
        yield from inner_statements(inner)
