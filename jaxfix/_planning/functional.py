"""Branches and loops on traced values as `lax` operations: new statements from old.

The input comes from `desugar.py`: exits are gone, every `if` and loop that must be
rewritten is marked `traced` or `desugared`. The output is plain statements in which
those have become `jnp.where`, `lax.cond`, `fori_loop`, `while_loop` with local
functions for bodies.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeGuard

from jaxfix._analysis import build
from jaxfix._analysis.arguments import as_array, merge
from jaxfix._analysis.closures import all_reads, moving_obstacle, outer_names
from jaxfix._analysis.declarations import is_pytree
from jaxfix._analysis.effects import FREE, NEITHER, Cost, cost, obstacle
from jaxfix._analysis.facts import Function
from jaxfix._analysis.finding import CannotFix
from jaxfix._analysis.flow import definitely_writes, exits, uses_before_definite_write
from jaxfix._analysis.jax_api import lookup
from jaxfix._analysis.objects import InstanceValue
from jaxfix._analysis.scopes import mutations, names, reads, writes
from jaxfix._analysis.transforms import is_callable
from jaxfix._analysis.values import (
    BOOL,
    SCALAR,
    Array,
    Const,
    Seq,
    Shape,
    Static,
    Value,
    alternatives,
    holds_tracer,
)

from .agree import Typed, agree, collapse, is_literal
from .booleans import Spell, condition, is_bool, marked, negation, positive
from .desugar import Blocked, copy_with, either, same_code, sets_flags
from .ownership import own_objects
from .tidy import folded

Types = dict[str, Value]
NameSet = frozenset[str]


@dataclass(slots=True)
class Context:
    """What is known where a block begins."""

    types: Types
    bound: NameSet

    def copy(self) -> Context:
        return Context(dict(self.types), self.bound)


@dataclass(slots=True)
class Functional:
    """Rewrites the marked statements of one function."""

    fn: Function
    spell: Spell
    fresh: Callable[[str], str]
    keep: list[ast.AST] = field(default_factory=list)  # new nodes, kept alive
    carried: tuple[str, ...] = ()  # by the innermost loop, in its order

    # --- values and costs of expressions, old and new

    def value(self, node: ast.expr, types: Types) -> Value | None:
        fact = getattr(node, "fact", None)
        if isinstance(fact, Value):
            return fact
        match node:
            case ast.Constant(value=value):
                return Const(value)
            case ast.Name(id=name) if name in types:
                return types[name]
            case ast.Tuple(elts=elts) if build.is_new(node):
                items = [self.value(e, types) for e in elts]
                if all(i is not None for i in items):
                    return Seq("tuple", tuple(i for i in items if i is not None))
                return None
            case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=value)):
                if isinstance(value, int | float):
                    return Const(-value)
        if getattr(node, "is_bool_array", False):
            return Array(True, BOOL)
        return None if build.is_new(node) else self.fn.value(node)

    def cost(self, node: ast.expr) -> Cost:
        known = getattr(node, "cost", None)
        if isinstance(known, Cost):
            return known
        if build.is_new(node):
            total = FREE
            if isinstance(node, ast.Call):
                return NEITHER
            for child in ast.iter_child_nodes(node):
                if isinstance(child, ast.expr):
                    total &= self.cost(child)
            if isinstance(node, ast.BinOp) and not isinstance(
                node.op,
                ast.Add | ast.Sub | ast.Mult | ast.BitAnd | ast.BitOr,
            ):
                return cost(self.fn, node) & total
            return total
        return cost(self.fn, node)

    def new(self, node: ast.expr, value: Value | None, price: Cost) -> ast.expr:
        """Note what is known of a new expression."""
        node.fact = value  # type: ignore[attr-defined]
        node.cost = price  # type: ignore[attr-defined]
        self.keep.append(node)
        return node

    def test(self, node: ast.expr) -> ast.expr:
        return condition(self.fn, self.spell, node)

    # --- blocks

    def block(
        self, stmts: Sequence[ast.stmt], live: NameSet, context: Context
    ) -> list[ast.stmt]:
        """Rewrite a block; `context` is brought up to its end."""
        out: list[ast.stmt] = []
        for index, stmt in enumerate(stmts):
            rest = stmts[index + 1 :]
            if isinstance(stmt, ast.FunctionDef) and build.is_new(stmt):
                self.check_moved(stmt, stmt.body)
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
                    return self.returning(stmt, context)
                return self.branch(stmt, live, context)
            case ast.While():
                from .loops import while_loop

                return while_loop(self, stmt, live, context)
            case ast.For():
                from .loops import for_loop

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
                made = copy_with(
                    stmt,
                    body=self.block(stmt.body, live, first),
                    orelse=self.block(stmt.orelse, live, second),
                )
                self.join(context, first, second, exits(stmt.body), exits(stmt.orelse))
                return [made]
            case ast.For() | ast.While():
                from .loops import first_rounds

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
            case _:
                changed = (name for name, _ in mutations([stmt]))
                for name in (*writes([stmt]), *changed):
                    context.types.pop(name, None)
                nodes = [*ast.walk(stmt)]
                # Of these the value is known with the statement.
                steps = {id(n.target) for n in nodes if isinstance(n, ast.AugAssign)}
                for node in nodes:
                    if id(node) not in steps:
                        self.learn(node, context)
        context.bound |= set(definitely_writes([stmt]))

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
            context.types.pop(name, None)
            if known is not None:
                context.types[name] = known
        if isinstance(stmt, ast.For):
            self.bind_targets(stmt.target, context)

    # --- choosing between two expressions

    def select(
        self,
        test: ast.expr,
        test_value: Value | None,
        a: Typed,
        b: Typed,
        name: str,
        *,
        force_cond: bool = False,
    ) -> ast.expr:
        """`a if test else b` as `jnp.where` or `lax.cond`."""
        if same_expression(a.node, b.node):
            return a.node
        if (plain := positive(self.fn, test)) is not None:
            test, test_value, a, b = plain, self.value(plain, {}), b, a
        if (simple := boolean_choice(self, test, test_value, a, b)) is not None:
            return simple
        price = self.cost(a.node) & self.cost(b.node)
        if price.cheap and price.total and not force_cond and is_whereable(a, b, test):
            return self.where(test, test_value, a, b, name)
        check_objects(self.fn, name, a, b)
        first, second = agree(self.spell, name, a, b)
        for side in (first, second):
            if (why := obstacle(self.fn, side)) is not None:
                raise CannotFix(why)
        made = build.branching(
            self.spell("jax.lax.cond"),
            scalar_test(self.spell, test, test_value),
            build.thunk(first),
            build.thunk(second),
        )
        return self.new(made, merged_value(a, b), Cost(cheap=False))

    def where(
        self,
        test: ast.expr,
        test_value: Value | None,
        a: Typed,
        b: Typed,
        name: str,
    ) -> ast.expr:
        check_where(name, a, b)
        made = joined_choice(self, test, test_value, a, b)
        if made is None:
            made = build.branching(
                self.spell("jax.numpy.where"),
                scalar_test(self.spell, test, test_value),
                a.node,
                b.node,
            )
        return self.new(made, merged_value(a, b), FREE)

    # --- an if whose branches return

    def returning(self, node: ast.If, context: Context) -> list[ast.stmt]:
        first, second = context.copy(), context.copy()
        body = self.block(node.body, frozenset(), first)
        orelse = self.block(node.orelse, frozenset(), second)
        test, test_value = self.test_of(node, context)
        if (plain := positive(self.fn, test)) is not None:
            test, test_value = plain, self.value(plain, context.types)
            body, orelse, first, second = orelse, body, second, first
        match body, orelse:
            case [ast.Return(value=None)], [ast.Return(value=None)]:
                raise Blocked(node, "neither branch has a result")
            case [ast.Return(value=x)], [ast.Return(value=y)] if x and y:
                a = Typed(x, self.value(x, first.types))
                b = Typed(y, self.value(y, second.types))
                self.check_none(node, a, b)
                pair = self.where_tuple(test, test_value, a, b)
                if pair is not None:
                    return [build.ret(pair)]
                return [build.ret(self.select(test, test_value, a, b, "the result"))]
        self.check_branches(node)
        self.check_moved(node, [*node.body, *node.orelse])
        last_a, last_b = last_return(body), last_return(orelse)
        merged: Value | None = None
        if last_a is not None and last_b is not None:
            mine, other = frozenset(writes(body)), frozenset(writes(orelse))
            a = Typed(last_a, self.returned(last_a, first.types), mine, mine)
            b = Typed(last_b, self.returned(last_b, second.types), other, other)
            self.check_none(node, a, b)
            check_objects(self.fn, "the result", a, b)
            x, y = agree(self.spell, "the result", a, b)
            body = [*body[:-1], build.ret(x)]
            orelse = [*orelse[:-1], build.ret(y)]
            merged = merged_value(a, b)
            body, orelse = folded(self.fn, body), folded(self.fn, orelse)
        elif (last_a is None) != (last_b is None):
            for block in (body, orelse):
                if isinstance(block[-1], ast.Return) and is_none(block[-1].value):
                    raise Blocked(node, "one branch returns None and the other a value")
        operands = parameters(body, orelse, context.bound)
        made, functions = self.cond_call(test, test_value, operands, body, orelse)
        self.new(made, merged, Cost(cheap=False))
        return [*functions, build.ret(made)]

    def returned(self, node: ast.expr, types: Types) -> Value | None:
        """What a branch returns; of a call of ours, what the function returns."""
        known = self.value(node, types)
        if known is None and isinstance(node, ast.Call) and build.is_new(node):
            return self.fn.facts.interpreter.results.get(id(self.fn.node))
        return known

    def check_none(self, node: ast.If, a: Typed, b: Typed) -> None:
        if is_none(a.node) != is_none(b.node) and (is_none(a.node) or is_none(b.node)):
            raise Blocked(
                node, "the function returns None on one path and a value on another"
            )

    def where_tuple(
        self, test: ast.expr, test_value: Value | None, a: Typed, b: Typed
    ) -> ast.expr | None:
        """`return p, q` in both branches: item by item where the test is a name."""
        if not (isinstance(a.node, ast.Tuple) and isinstance(b.node, ast.Tuple)):
            return None
        if len(a.node.elts) != len(b.node.elts) or not repeatable(test):
            return None
        items = []
        for x, y in zip(a.node.elts, b.node.elts, strict=True):
            price = self.cost(x) & self.cost(y)
            if not (price.cheap and price.total):
                return None
            one, two = Typed(x, self.value(x, {})), Typed(y, self.value(y, {}))
            if not is_whereable(one, two, test):
                return None
            items.append(
                self.select(test, test_value, one, two, "an item of the result")
            )
        return ast.Tuple(items, ast.Load())

    def test_of(self, node: ast.If, context: Context) -> tuple[ast.expr, Value | None]:
        test = self.test(node.test)
        if (why := obstacle(self.fn, test)) is not None and not build.is_new(test):
            raise Blocked(node, f"in the condition, {why}")
        return test, self.value(test, context.types)

    def check_branches(self, node: ast.If) -> None:
        for block in (node.body, node.orelse):
            own = own_objects(self.fn, block)
            if (why := obstacle(self.fn, block, own)) is not None:
                raise Blocked(node, f"in a branch, {why}")
        for name, place in mutations([*node.body, *node.orelse]):
            if not self.is_local_to(name, node):
                text = ast.unparse(place)
                raise Blocked(node, f"in a branch, `{text}` changes an object in place")

    def check_moved(self, node: ast.stmt, block: Sequence[ast.stmt]) -> None:
        """What becomes a function that returns must not bind outer variables."""
        if outer := outer_names(self.fn) & set(writes(block)):
            raise Blocked(
                node, f"on a way to a `return`, it assigns the outer `{min(outer)}`"
            )

    def is_local_to(self, name: str, node: ast.stmt) -> bool:
        """Is `name` made anew in the statement, so that its mutation stays inside?"""
        exposed = uses_before_definite_write([node])
        return name not in exposed

    def cond_call(
        self,
        test: ast.expr,
        test_value: Value | None,
        operands: Sequence[str],
        body: list[ast.stmt],
        orelse: list[ast.stmt],
        updated: Sequence[str] = (),
    ) -> tuple[ast.expr, list[ast.stmt]]:
        """`lax.cond(test, f, g, *operands)` and the local functions that it needs."""
        functions: list[ast.stmt] = []
        branches: list[ast.expr] = []
        bases = branch_names(body, orelse, updated)
        for base, block in zip(bases, (body, orelse), strict=True):
            if (why := moving_obstacle(self.fn, block)) is not None:
                raise CannotFix(why)
            used = set(names(block))
            params = [n if n in used else "_" for n in operands]
            if len(block) == 1 and isinstance(block[0], ast.Return):
                value = block[0].value or build.const(None)
                match value:
                    case ast.Call(func=ast.Name() as called, args=[], keywords=[]) if (
                        not params and build.is_new(value)
                    ):
                        branches.append(called)
                        continue
                if not params and is_call_of_name(value):
                    branches.append(value.func)
                    continue
                if params and all(p == "_" for p in params) and len(params) > 1:
                    params = ["*_"]
                branches.append(lambda_of(params, value))
                continue
            name = self.fresh(base)
            made = build.function(name, unique(params), block)
            functions.append(made)
            branches.append(build.load(name))
        call = build.branching(
            self.spell("jax.lax.cond"),
            scalar_test(self.spell, test, test_value),
            *branches,
            *(build.load(n) for n in operands),
        )
        self.new(call, None, Cost(cheap=False))
        return call, functions

    # --- an if that falls through

    def branch(self, node: ast.If, live: NameSet, context: Context) -> list[ast.stmt]:
        before: list[ast.stmt] = []
        node, flags = self.take_flags(node, live, context)
        before += flags
        if not node.body and not node.orelse:
            return before
        outputs = [n for n in writes([*node.body, *node.orelse]) if n in live]
        before += self.first_values(node, outputs, context)
        self.check_bound(node, outputs, context)
        self.check_branches(node)
        inner_live = frozenset(outputs)
        first, second = context.copy(), context.copy()
        body = self.block(node.body, inner_live, first)
        orelse = self.block(node.orelse, inner_live, second)
        test, test_value = self.test_of(node, context)
        if (plain := positive(self.fn, test)) is not None:
            test, test_value = plain, self.value(plain, context.types)
            body, orelse, first, second = orelse, body, second, first
        constant, outputs = self.constant_outputs(outputs, first, second, context)
        if not outputs:
            if not has_effects(self.fn, [*body, *orelse]):
                # What the condition binds stays bound.
                bound = [
                    build.assign(n.target.id, n.value)
                    for n in ast.walk(test)
                    if isinstance(n, ast.NamedExpr)
                ]
                return [*before, *bound, *constant]
            return [
                *before,
                *self.effect_only(test, test_value, body, orelse, context.bound),
            ]
        simple = self.where_statements(
            test, test_value, body, orelse, outputs, first, second, context
        )
        if simple is not None:
            return [*before, *simple, *constant]
        made = self.cond_statements(
            test, test_value, body, orelse, outputs, first, second, context
        )
        return [*before, *made, *constant]

    def take_flags(
        self, node: ast.If, live: NameSet, context: Context
    ) -> tuple[ast.If, list[ast.stmt]]:
        """`if c: done = True` is `done = c`; the flag is the test of what remains."""
        flags = [
            s.targets[0].id
            for s in node.body
            if is_flag(s)
            and isinstance(s, ast.Assign)
            and isinstance(s.targets[0], ast.Name)
            and s.value.value is True  # type: ignore[attr-defined]
        ]
        flags = [f for f in flags if f not in writes(node.orelse)]
        if not flags:
            return node, []
        test, test_value = self.test_of(node, context)
        first = flags[0]
        out: list[ast.stmt] = [build.assign(first, self.as_flag(test, test_value))]
        if first in reads(test) and not keeps(test, first):
            # In a masked loop a flag may be set already: it stays so.
            hit = self.fresh("hit")
            out = [build.assign(hit, self.as_flag(test, test_value))]
            for flag in flags:
                either = ast.BinOp(build.load(flag), ast.BitOr(), build.load(hit))
                out.append(build.assign(flag, marked(either)))
            flags.insert(0, hit)
        scalar = Array(True, BOOL, SCALAR, why=getattr(test_value, "why", None))
        context.types[first] = scalar
        for flag in flags:
            if flag in live and flag not in writes(out):
                out.append(build.assign(flag, build.load(first)))
            context.types[flag] = scalar
        context.bound |= set(flags)
        body = [s for s in node.body if not (is_flag(s) and writes([s])[0] in flags)]
        new_test = marked(build.load(flags[0]))
        made = copy_with(node, test=new_test, body=body)
        assert isinstance(made, ast.If), "a copy of an if is an if"
        made.flag = first  # type: ignore[attr-defined]
        return made, out

    def as_flag(self, test: ast.expr, value: Value | None) -> ast.expr:
        """The test as a bool, for a carry."""
        plain = scalar_test(self.spell, test, value)
        if getattr(test, "is_bool_array", False) or is_bool(value) or value is None:
            return plain
        return ast.Compare(plain, [ast.NotEq()], [build.const(0)])

    def first_values(
        self, node: ast.If, outputs: Sequence[str], context: Context
    ) -> list[ast.stmt]:
        """Values for names that a branch which leaves does not bind: never read."""
        from .loops import is_result, zero_value

        out: list[ast.stmt] = []
        sure = set(definitely_writes(node.body)) & set(definitely_writes(node.orelse))
        for name in outputs:
            if name in context.bound | sure:
                continue
            if not (leaves(node) or is_result(name, node)):
                continue
            zeros = {
                ast.dump(z): z
                for z in (zero_value(v) for v in self.assigned_values(name, node))
                if z is not None
            }
            if len(zeros) != 1:
                continue
            made = build.assign(name, next(iter(zeros.values())))
            self.advance(made, context)
            out.append(made)
        return out

    def assigned_values(self, name: str, node: ast.stmt) -> Iterator[Value | None]:
        """What the statement may bind a name to."""
        for inner in ast.walk(node):
            match inner:
                case ast.Assign(targets=[ast.Name(id=target)], value=value) if (
                    target == name and build.is_new(inner)
                ):
                    yield self.value(value, {})
                case ast.Name(id=target, ctx=ast.Store()) if target == name:
                    if (found := self.fn.value(inner)) is not None:
                        yield found

    def check_bound(
        self, node: ast.If, outputs: Sequence[str], context: Context
    ) -> None:
        sure = (set(definitely_writes(node.body)), set(definitely_writes(node.orelse)))
        for name in outputs:
            if name in context.bound:
                continue
            if not all(name in s for s in sure):
                raise Blocked(node, f"`{name}` is bound in one branch only")

    def constant_outputs(
        self, outputs: list[str], first: Context, second: Context, before: Context
    ) -> tuple[list[ast.stmt], list[str]]:
        """Names that are the same constant (None, a string) after both branches."""
        constant: list[ast.stmt] = []
        left: list[str] = []
        for name in outputs:
            a, b = first.types.get(name), second.types.get(name)
            same = isinstance(a, Const) and a == b
            if (
                same
                and isinstance(a, Const)
                and (a.value is None or isinstance(a.value, str))
            ):
                if before.types.get(name) != a:
                    constant.append(build.assign(name, build.const(a.value)))
            else:
                left.append(name)
        return constant, left

    def effect_only(
        self,
        test: ast.expr,
        test_value: Value | None,
        body: list[ast.stmt],
        orelse: list[ast.stmt],
        bound: NameSet,
    ) -> list[ast.stmt]:
        made, functions = self.cond_call(
            test,
            test_value,
            parameters(body, orelse, bound),
            body or [build.ret(build.const(None))],
            orelse or [build.ret(build.const(None))],
        )
        return [*functions, ast.Expr(made)]

    # --- where

    def where_statements(
        self,
        test: ast.expr,
        test_value: Value | None,
        body: list[ast.stmt],
        orelse: list[ast.stmt],
        outputs: Sequence[str],
        first: Context,
        second: Context,
        context: Context,
    ) -> list[ast.stmt] | None:
        """One `jnp.where` a name, if both branches are cheap assignments; else None."""
        mine = simple_assignments(self.fn, body)
        other = simple_assignments(self.fn, orelse)
        if mine is None or other is None:
            return None
        if set(mine) - set(outputs) or set(other) - set(outputs):
            return None
        if len(outputs) > 4 and not isinstance(test, ast.Name):
            return None
        flags = {test.id} if isinstance(test, ast.Name) else set()
        order = aligned_order(self.fn, mine, other, outputs, last=flags)
        if order is None:
            return None
        prefix: list[ast.stmt] = []
        changes = set(reads(test)) & set(order[:-1])
        if len(order) > 1 and (not repeatable(test) or changes):
            name = self.fresh(condition_name(test))
            prefix.append(build.assign(name, test))
            bool_like = is_bool(test_value) or getattr(test, "is_bool_array", False)
            test = build.load(name)
            if bool_like:
                marked(test)
        out: list[ast.stmt] = []
        for name in order:
            a = self.branch_value(name, mine, context, first)
            b = self.branch_value(name, other, context, second)
            if prefix and name in flags:
                # The flag itself, as it was.
                a = Typed(test, test_value) if name not in mine else a
                b = Typed(test, test_value) if name not in other else b
            price = self.cost(a.node) & self.cost(b.node)
            if not (price.cheap and price.total) or not is_whereable(a, b, test):
                return None
            value = self.select(test, test_value, a, b, f"`{name}`")
            out.append(build.choice([name], value))
        for name in order:
            self.set_merged(name, first, second, context)
        return [*prefix, *out]

    def branch_value(
        self,
        name: str,
        assigned: dict[str, ast.expr],
        context: Context,
        after: Context,
    ) -> Typed:
        if name in assigned:
            return Typed(assigned[name], after.types.get(name))
        return Typed(build.load(name), context.types.get(name))

    def set_merged(
        self, name: str, first: Context, second: Context, context: Context
    ) -> None:
        a, b = collapse(first.types.get(name)), collapse(second.types.get(name))
        context.bound |= {name}
        context.types.pop(name, None)
        if a is not None and b is not None:
            found: Value | None = a if a == b else merge(a, b)
            if found is not None:
                if isinstance(found, Array):
                    found = replace(found, traced=True)
                context.types[name] = found

    # --- cond with several outputs

    def cond_statements(
        self,
        test: ast.expr,
        test_value: Value | None,
        body: list[ast.stmt],
        orelse: list[ast.stmt],
        outputs: Sequence[str],
        first: Context,
        second: Context,
        context: Context,
    ) -> list[ast.stmt]:
        outputs, before = self.ordered(outputs), context.copy()
        results: list[tuple[ast.expr, ast.expr]] = []
        mine, other = frozenset(writes(body)), frozenset(writes(orelse))
        body, values_a = inline_last(self.fn, body, outputs)
        orelse, values_b = inline_last(self.fn, orelse, outputs)
        rebound_a, rebound_b = frozenset(writes(body)), frozenset(writes(orelse))
        for name in outputs:
            at_a = values_a.get(name, build.load(name))
            at_b = values_b.get(name, build.load(name))
            a = Typed(at_a, first.types.get(name), mine, rebound_a)
            b = Typed(at_b, second.types.get(name), other, rebound_b)
            check_objects(self.fn, f"`{name}`", a, b)
            results.append(agree(self.spell, f"`{name}`", a, b))
            self.set_merged(name, first, second, context)
        body = [*body, build.ret(build.tuple_of([x for x, _ in results]))]
        orelse = [*orelse, build.ret(build.tuple_of([y for _, y in results]))]
        body, orelse = folded(self.fn, body), folded(self.fn, orelse)
        operands = self.operands(body, orelse, outputs, before)
        updated = [n for n in outputs if n in before.bound]
        made, functions = self.cond_call(
            test, test_value, operands, body, orelse, updated
        )
        return [*functions, build.choice(list(outputs), made)]

    def ordered(self, outputs: Sequence[str]) -> list[str]:
        """In a loop, in the order of its carry."""
        places = {name: place for place, name in enumerate(self.carried)}
        return sorted(outputs, key=lambda name: places.get(name, len(places)))

    def operands(
        self,
        body: Sequence[ast.stmt],
        orelse: Sequence[ast.stmt],
        outputs: Sequence[str],
        context: Context,
    ) -> list[str]:
        """What the branches are given: none if neither rebinds what it reads.

        Else all outputs that they read, in the order of the outputs, and not some of
        them from outside. What may be known while tracing does come from outside.
        """
        needed = parameters(body, orelse, context.bound)
        if not needed:
            return []
        read = {*reads(body), *reads(orelse)} & context.bound

        def is_operand(name: str) -> bool:
            value = context.types.get(name)
            is_traced = value is not None and holds_tracer(value) is not None
            return name in needed or (name in read and is_traced)

        found = [n for n in outputs if is_operand(n)]
        return [*found, *(n for n in needed if n not in found)]


# --- helpers on statements


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


def leaves(node: ast.If) -> bool:
    """Does a branch set the flag that says that the function or loop was left?"""
    return any(sets_flags([s]) for s in ast.walk(node) if isinstance(s, ast.Assign))


def is_flag(stmt: ast.stmt) -> bool:
    """Does it set a flag, and not what a `return True` gives?"""
    return sets_flags([stmt]) and not hasattr(stmt, "origin_return")


def same_expression(a: ast.expr, b: ast.expr) -> bool:
    return ast.dump(a) == ast.dump(b)


def is_none(node: ast.expr | None) -> bool:
    return node is None or (isinstance(node, ast.Constant) and node.value is None)


def last_return(block: Sequence[ast.stmt]) -> ast.expr | None:
    last = block[-1] if block else None
    if isinstance(last, ast.Return) and last.value is not None:
        return last.value
    return None


def repeatable(test: ast.expr) -> bool:
    """May a condition stand more than once? A name or a small comparison may."""
    nodes = [n for n in ast.walk(test) if not isinstance(n, ast.expr_context)]
    return not any(isinstance(n, ast.Call | ast.NamedExpr) for n in nodes) and (
        len(nodes) <= 4
    )


def keeps(test: ast.expr, flag: str) -> bool:
    """Is it `flag | ...`, which is true where the flag is set already?"""
    match test:
        case ast.BinOp(left=left, op=ast.BitOr()) if build.is_new(test):
            return keeps(left, flag)
        case ast.Name(id=name):
            return name == flag
        case _:
            return False


def condition_name(test: ast.expr) -> str:
    """A word for the name that a condition is bound to."""
    match test:
        case ast.Name(id=name):
            return f"was_{name.lstrip('_')}"
        case ast.Compare(ops=[ast.Gt() | ast.GtE()]):
            return "above"
        case ast.Compare(ops=[ast.Lt() | ast.LtE()]):
            return "below"
        case ast.Compare(ops=[ast.Eq()]):
            return "equal"
        case _:
            return "holds"


def boolean_choice(
    functional: Functional,
    test: ast.expr,
    test_value: Value | None,
    a: Typed,
    b: Typed,
) -> ast.expr | None:
    """`True if test else False` is the test."""
    if not is_certain_bool(functional, Typed(test, test_value)):
        return None
    plain = scalar_test(functional.spell, test, test_value)
    match truth(a), truth(b):
        case True, False:
            return plain
        case False, True:
            return negation(functional.fn, functional.spell, plain)
        case _:
            return None


def joined_choice(
    functional: Functional,
    test: ast.expr,
    test_value: Value | None,
    a: Typed,
    b: Typed,
) -> ast.expr | None:
    """`True if test else b` is `test | b` of bools, `a if test else False` an `&`."""
    if not all(is_certain_bool(functional, t) for t in (Typed(test, test_value), a, b)):
        return None
    if truth(a) is False and same_expression(b.node, test):
        return build.const(False)
    if truth(b) is True and same_expression(a.node, test):
        return build.const(True)
    plain = scalar_test(functional.spell, test, test_value)
    if truth(a) is True or same_expression(a.node, test):
        return joined(plain, ast.BitOr(), b.node)
    if truth(b) is False or same_expression(b.node, test):
        return joined(plain, ast.BitAnd(), a.node)
    return None


def joined(test: ast.expr, op: ast.operator, other: ast.expr) -> ast.expr:
    """`test | other`, a lone name first: `done | (x > 1)`."""
    is_late = isinstance(other, ast.Name)
    pair = (other, test) if is_late else (test, other)
    return marked(ast.BinOp(pair[0], op, pair[1]))


def truth(side: Typed) -> bool | None:
    """What a value is, if it is certainly True or False."""
    match side.node, side.value:
        case (ast.Constant(value=bool(known)), _) | (ast.Name(), Const(value=known)):
            return known if isinstance(known, bool) else None
        case _:
            return None


def is_certain_bool(functional: Functional, side: Typed) -> bool:
    value = side.value if side.value is not None else functional.value(side.node, {})
    return is_bool(value) or bool(getattr(side.node, "is_bool_array", False))


def is_whereable(a: Typed, b: Typed, test: ast.expr) -> bool:
    """Can `jnp.where` take the two values? Arrays and numbers only.

    A bare parameter may be a pytree; beside an array or a number it is an array, and
    where the test orders it.
    """
    bare = 0
    ordered = ordered_names(test)
    shapes: list[Shape] = []
    for side in (a, b):
        value = collapse(side.value)
        if isinstance(value, Static) and not value.type:
            # It is known while tracing: beside an array it is a number.
            bare += 1
            shapes.append(SCALAR)
            continue
        found = as_array(value) if value is not None else None
        if found is None or found.key:
            return False
        is_name = isinstance(side.node, ast.Name) and side.node.id in ordered
        bare += found.tree and found.assumed and not is_name
        shapes.append(found.shape)
    if is_literal(a.node) or is_literal(b.node):
        return True
    return bare < 2 and alike(*shapes)


def ordered_names(test: ast.expr) -> frozenset[str]:
    """The names that a condition compares by order: those of numbers and arrays.

    Also the one that is the condition.
    """
    if isinstance(test, ast.Name):
        return frozenset({test.id})
    orders = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)
    return frozenset(
        side.id
        for node in ast.walk(test)
        if isinstance(node, ast.Compare)
        and all(isinstance(o, orders) for o in node.ops)
        for side in (node.left, *node.comparators)
        if isinstance(side, ast.Name)
    )


def alike(a: Shape, b: Shape) -> bool:
    """Are two shapes equal, as far as one can see? `where` would broadcast in silence.

    Parameters of which nothing is known are taken for numbers: a condition on them is
    only true or false if they are.
    """
    if a is None or b is None:
        return False
    return a == b or all(is_parameter(part) for part in a | b)


def is_parameter(part: object) -> bool:
    return isinstance(part, str) and part.startswith("?") and "[" not in part


def check_where(name: str, a: Typed, b: Typed) -> None:
    """`where` broadcasts; the shape of the result must not depend on the branch."""
    x, y = (
        as_array(collapse(a.value) or Const(0)),
        as_array(collapse(b.value) or Const(0)),
    )
    if (
        x is None
        or y is None
        or x.shape is None
        or y.shape is None
        or x.shape == y.shape
    ):
        return
    if is_literal(a.node) or is_literal(b.node) or alike(x.shape, y.shape):
        return
    raise CannotFix(f"the shape of {name} depends on the condition")


def check_objects(fn: Function, name: str, *sides: Typed) -> None:
    """Only pytrees of one structure can come out of a branch.

    Raises:
      CannotFix: a side is a function, or an object that is none, or of another class.
    """
    found = [o for s in sides if s.value is not None for o in alternatives(s.value)]
    for value in found:
        if is_callable(value):
            raise CannotFix(f"{name} is a function, which compiled code cannot choose")
        if isinstance(value, InstanceValue) and not is_pytree(fn.facts, value.cls):
            raise CannotFix(f"{name} is a `{value.cls.name}`, which is no pytree")
    classes = {o.cls.name for o in found if isinstance(o, InstanceValue)}
    numbers = any(isinstance(o, Array | Const) and not is_any(o) for o in found)
    if len(classes) + numbers > 1:
        raise CannotFix(f"{name} has another structure in one branch than in the other")


def is_any(value: Value) -> bool:
    """May it be any pytree? A bare parameter of a root may."""
    return isinstance(value, Array) and value.tree


def merged_value(a: Typed, b: Typed) -> Value | None:
    x, y = collapse(a.value), collapse(b.value)
    if x is None or y is None:
        return None
    if x == y:
        return replace(x, traced=True) if isinstance(x, Array) else merge(x, y) or x
    return merge(x, y)


def scalar_test(spell: Spell, test: ast.expr, value: Value | None) -> ast.expr:
    """The test as a scalar: one of shape (1,) is accepted by Python's `if`."""
    found = as_array(value) if value is not None else None
    if found is None or found.shape is None or not needs_reshape(found):
        return test
    made = build.call(spell("jax.numpy.reshape"), test, ast.Tuple([], ast.Load()))
    if getattr(test, "is_bool_array", False) or is_bool(value):
        marked(made)
    return made


def needs_reshape(found: Array) -> bool:
    """Is the shape of a test known not to be (), or made by a contraction?

    Or by a reduction that keeps its axes.
    """
    return any(
        isinstance(part, tuple) or "@" in part or ",True)" in part
        for part in found.shape or ()
    )


def simple_assignments(
    fn: Function, block: Sequence[ast.stmt]
) -> dict[str, ast.expr] | None:
    """`{name: value}` of a block that only assigns names, each once; else None."""
    out: dict[str, ast.expr] = {}
    for stmt in block:
        match stmt:
            case ast.Assign(targets=[*targets], value=value) if all(
                isinstance(t, ast.Name) for t in targets
            ):
                pairs = [(t.id, value) for t in targets if isinstance(t, ast.Name)]
            case ast.AnnAssign(target=ast.Name(id=name), value=value) if value:
                pairs = [(name, value)]
            case ast.AugAssign(target=ast.Name(id=name), op=op, value=value):
                pairs = [(name, ast.BinOp(build.load(name), op, value))]
            case ast.Assign(
                targets=[ast.Tuple(elts=targets)], value=ast.Tuple(elts=values)
            ) if len(targets) == len(values):
                if not all(isinstance(t, ast.Name) for t in targets):
                    return None
                left = {t.id for t in targets if isinstance(t, ast.Name)}
                if any(all_reads(fn, v) & left for v in values):
                    return None
                pairs = [
                    (t.id, v)
                    for t, v in zip(targets, values, strict=True)
                    if isinstance(t, ast.Name)
                ]
            case ast.Pass():
                continue
            case _:
                return None
        for name, value in pairs:
            if name in out or any(
                isinstance(n, ast.NamedExpr) for n in ast.walk(value)
            ):
                return None
            out[name] = value
    return out


def aligned_order(
    fn: Function,
    mine: dict[str, ast.expr],
    other: dict[str, ast.expr],
    outputs: Sequence[str],
    last: set[str],
) -> list[str] | None:
    """An order in which the names can be assigned one after another; None if none.

    In each branch an expression reads the new value of what the branch assigned before
    it and the old value of what it assigns later, so the joint order must keep that.
    The names in `last`, which are the condition, come as late as they can.
    """
    first: set[tuple[str, str]] = set()  # (a, b): a is assigned before b
    for assigned in (mine, other):
        order = list(assigned)
        for index, name in enumerate(order):
            for read in all_reads(fn, assigned[name]):
                if read == name or read not in outputs:
                    continue
                if read in order:
                    before = order.index(read) < index
                    first.add((read, name) if before else (name, read))
                else:
                    first.add((name, read))
    left = list(outputs)
    result: list[str] = []
    while left:
        ready = [n for n in left if not any(a in left and b == n for a, b in first)]
        if not ready:
            return None
        result.append(next((n for n in ready if n not in last), ready[0]))
        left.remove(result[-1])
    return result


def inline_last(
    fn: Function, block: list[ast.stmt], outputs: Sequence[str]
) -> tuple[list[ast.stmt], dict[str, ast.expr]]:
    """Where the whole block is one assignment of each output, its values directly."""
    assigned = together(block)
    if assigned is None:
        assigned = simple_assignments(fn, block)
        for name, value in (assigned or {}).items():
            if any(r in (assigned or {}) and r != name for r in all_reads(fn, value)):
                return block, {}
    if assigned is None or set(assigned) - set(outputs):
        return block, {}
    if len(assigned) > 1 and any(len(ast.unparse(v)) > 40 for v in assigned.values()):
        return block, {}
    if any(has_comment(s) for s in block):
        return block, {}
    return [], assigned


def together(block: Sequence[ast.stmt]) -> dict[str, ast.expr] | None:
    """`{name: value}` of `a, b = b, a`, whose values all read what was before."""
    match block:
        case [
            ast.Assign(targets=[ast.Tuple(elts=names)], value=ast.Tuple(elts=values))
        ]:
            targets = [n.id for n in names if isinstance(n, ast.Name)]
            if len(set(targets)) == len(names) == len(values) and not any(
                isinstance(n, ast.Starred | ast.NamedExpr)
                for v in values
                for n in ast.walk(v)
            ):
                return dict(zip(targets, values, strict=True))
    return None


def has_comment(stmt: ast.stmt) -> bool:
    return bool(getattr(stmt, "has_comment", False))


def parameters(
    body: Sequence[ast.stmt], orelse: Sequence[ast.stmt], bound: NameSet
) -> list[str]:
    """Names that a branch reads and also assigns: they must be operands."""
    wanted = []
    for block in (body, orelse):
        assigned = set(writes(block))
        wanted += [n for n in uses_before_definite_write(block) if n in assigned]
    ordered = [n for n in names([*body, *orelse]) if n in wanted]
    missing = [n for n in ordered if n not in bound]
    if missing:
        raise CannotFix(f"`{missing[0]}` may not be bound yet")
    return ordered


def branch_names(
    body: Sequence[ast.stmt], orelse: Sequence[ast.stmt], updated: Sequence[str]
) -> tuple[str, str]:
    """Names for the functions of branches: what the only one of them updates."""
    alone = (len(body) == 1) != (len(orelse) == 1)
    if alone and len(updated) == 1 and not updated[0].startswith("_"):
        return f"update_{updated[0]}", f"update_{updated[0]}"
    return "true_branch", "false_branch"


def unique(params: Sequence[str]) -> list[str]:
    """Parameters in which every unused one has a name of its own."""
    out: list[str] = []
    for index, name in enumerate(params):
        out.append(name if name != "_" or "_" not in out else f"_{index}")
    return out


def lambda_of(params: Sequence[str], value: ast.expr) -> ast.Lambda:
    if params == ["*_"]:
        made = build.thunk(value)
        made.args.vararg = ast.arg("_")
        return made
    return build.thunk(value, unique(params))


def is_call_of_name(node: ast.expr) -> TypeGuard[ast.Call]:
    """`rest()`: a function of ours, which can be handed over as it is."""
    return (
        isinstance(node, ast.Call)
        and build.is_new(node)
        and isinstance(node.func, ast.Name)
        and not node.args
        and not node.keywords
    )


def has_effects(fn: Function, block: Sequence[ast.stmt]) -> bool:
    """Does the block do anything besides binding names?"""
    return any(isinstance(n, ast.Expr) for s in block for n in ast.walk(s))
