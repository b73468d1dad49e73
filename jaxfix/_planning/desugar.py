"""Exits first: `return`, `break`, `continue` under traced tests become plain branches.

The result is a list of statements in which every traced `if` and loop falls through or,
at the end of a function, returns in both branches; `functional.py` turns those into
`lax.cond` and loops. The rest of a block moves into the branch that falls through; a
flag is made only where no branch can hold the rest. See rewriting.md, section 2.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TypeGuard

from jaxfix._analysis import build
from jaxfix._analysis.arguments import as_array
from jaxfix._analysis.closures import outer_names
from jaxfix._analysis.facts import Function
from jaxfix._analysis.finding import CannotFix
from jaxfix._analysis.flow import exits
from jaxfix._analysis.scopes import MUTATING_METHODS, mutations, names, reads, writes
from jaxfix._analysis.values import Array, Const, Dict, Seq, alternatives

from . import guards, places
from .agree import is_literal
from .booleans import is_bool, marked

LEAVES = frozenset({"return", "break", "continue"})


class Blocked(CannotFix):
    """A plan that failed at a certain node of the source."""

    def __init__(self, node: ast.AST, reason: str) -> None:
        super().__init__(reason)
        self.node = build.source_of(node)


@dataclass(slots=True)
class LoopFlags:
    """How a loop that is being rewritten says that it was left."""

    done: str | None = None
    returned: str | None = None
    uses_done: bool = False


@dataclass(slots=True)
class Desugar:
    """Rewrites the exits of one function.

    `is_traced` says of an `if`, a loop or a `match` that it is to be rewritten; `fresh`
    makes a new name.
    """

    fn: Function
    is_traced: Callable[[ast.AST], bool]
    fresh: Callable[[str], str]
    edit: Callable[[ast.AST, str], None]
    result: str | None = None
    by_name: bool = False  # whether the function has one `return`, at its end
    loops: list[LoopFlags] = field(default_factory=list)
    taken_apart: list[ast.stmt] = field(default_factory=list)

    # --- what forces a rewrite

    def traced_exits(
        self, stmts: Sequence[ast.stmt], under: bool = False
    ) -> frozenset[str]:
        """The exits in `stmts` that a traced condition decides."""
        found: frozenset[str] = frozenset()
        for stmt in stmts:
            found |= self._exits_of(stmt, under)
        return found

    def _exits_of(self, stmt: ast.stmt, under: bool) -> frozenset[str]:
        match stmt:
            case ast.Return():
                return frozenset({"return"}) if under else frozenset()
            case ast.Break():
                return frozenset({"break"}) if under else frozenset()
            case ast.Continue():
                return frozenset({"continue"}) if under else frozenset()
            case ast.If():
                inner = under or self.is_traced(stmt)
                return self.traced_exits(stmt.body, inner) | self.traced_exits(
                    stmt.orelse, inner
                )
            case ast.For() | ast.While():
                inside = self.traced_exits(stmt.body, self.is_traced(stmt))
                if under and "return" in exits(stmt.body):
                    inside |= {"return"}
                return (inside & {"return"}) | self.traced_exits(stmt.orelse, under)
            case ast.With():
                return self.traced_exits(stmt.body, under)
            case ast.Try():
                found = self.traced_exits(
                    [*stmt.body, *stmt.orelse, *stmt.finalbody], under
                )
                for handler in stmt.handlers:
                    found |= self.traced_exits(handler.body, under)
                return found
            case ast.Match():
                found = frozenset()
                for case in stmt.cases:
                    found |= self.traced_exits(case.body, under or self.is_traced(stmt))
                return found
            case _:
                return frozenset()

    def must_convert(self, stmt: ast.For | ast.While) -> bool:
        """Must this loop become a loop of `lax` (or be masked)?"""
        return self.is_traced(stmt) or bool(self.traced_exits(stmt.body) & LEAVES)

    # --- blocks

    def whole_body(self, body: Sequence[ast.stmt]) -> list[ast.stmt]:
        """The body of the function. If it binds outer variables, it returns at its end.

        A branch gives what it binds, or what the function returns, and not both.
        """
        outer = outer_names(self.fn) & set(writes(body))
        if not outer or "return" not in self.traced_exits(body):
            return self.function_body(body)
        self.by_name = True
        result = self._result_name()
        return [*self.block(body, self._by_name), build.ret(build.load(result))]

    def function_body(self, body: Sequence[ast.stmt]) -> list[ast.stmt]:
        return self.block(body, self._at_function_end)

    def block(
        self,
        stmts: Sequence[ast.stmt],
        finish: Callable[[ast.stmt | None], list[ast.stmt]] | None,
    ) -> list[ast.stmt]:
        """Rewrite a block. `finish` spells its exits (None: the block has none)."""
        out: list[ast.stmt] = []
        for index, stmt in enumerate(stmts):
            rest = list(stmts[index + 1 :])
            if isinstance(stmt, ast.If) and (outer := self._guard(stmt)) is not None:
                return out + self.block([outer, *rest], finish)
            if (
                isinstance(stmt, ast.If)
                and (apart := self._last_call(stmt)) is not None
            ):
                return out + self.block([*apart, *rest], finish)
            if self._is_region(stmt):
                before, named, after = self._on_names(stmt)
                if named is not stmt:
                    self.taken_apart.append(named)
                    return out + self.block([*before, named, *after, *rest], finish)
            if isinstance(stmt, ast.Return | ast.Break | ast.Continue) and finish:
                return out + finish(stmt)
            leaves = self._leaves(stmt)
            if finish is not None and leaves:
                return out + self._leaving(stmt, rest, finish)
            rewritten = self.inner(stmt)
            out += rewritten
            if "fall" not in exits([stmt]) and not isinstance(
                stmt, ast.For | ast.While
            ):
                return out
        return out + (finish(None) if finish is not None else [])

    def _guard(self, stmt: ast.If) -> ast.If | None:
        """`if known and traced` as `if known: if traced`, where the parts need it."""
        if not self.is_traced(stmt):
            return None
        is_and = isinstance(stmt.test, ast.BoolOp) and isinstance(stmt.test.op, ast.And)
        shared = stmt.orelse if is_and else stmt.body
        falls = not exits([stmt]) - {"fall"}
        try:
            parts = guards.nested(self.fn, stmt, short=is_short(shared), falls=falls)
        except CannotFix as error:
            raise Blocked(stmt, str(error)) from error
        if parts is None:
            return None
        inner = copy_with(stmt, test=parts.traced)
        blocks = ([inner], shared) if is_and else (shared, [inner])
        return ast.If(parts.known, *blocks)

    def _last_call(self, stmt: ast.If) -> list[ast.stmt] | None:
        """`if c: out.append(a) else: out.append(b)` as a choice and one `append`."""
        if not self.is_traced(stmt):
            return None
        calls = last_calls(stmt)
        if len({ast.dump(call.func) for call in calls}) != 1:
            return None
        function = calls[0].func
        assert isinstance(function, ast.Attribute), "it is a method"
        known = alternatives(self.fn.value(function.value) or Const(None))
        if not all(isinstance(o, Seq | Dict) for o in known):
            return None
        if set(names(function)) & set(writes(stmt)):
            return None
        item = self.fresh("item")
        once = ast.Expr(ast.Call(function, [build.load(item)], []))
        return [with_item(stmt, item), once]

    def _is_region(self, stmt: ast.stmt) -> bool:
        if any(stmt is known for known in self.taken_apart):
            return False
        return self.is_traced(stmt) or (
            isinstance(stmt, ast.For | ast.While)
            and not getattr(stmt, "desugared", False)
            and self.must_convert(stmt)
        )

    def _on_names(
        self, stmt: ast.stmt
    ) -> tuple[list[ast.stmt], ast.stmt, list[ast.stmt]]:
        """The region with attributes and items that it assigns as plain names."""
        try:
            return places.extract(self.fn, stmt, self.fresh, self.edit)
        except CannotFix as error:
            raise Blocked(stmt, str(error)) from error

    def _leaves(self, stmt: ast.stmt) -> bool:
        """Does the statement have exits that must be respelled here?"""
        if not self.loops:
            return bool(self._exits_of(stmt, False))
        # In the body of a loop that is rewritten every exit is, static ones too.
        return bool(exits([stmt]) & LEAVES)

    def _leaving(
        self,
        stmt: ast.stmt,
        rest: list[ast.stmt],
        finish: Callable[[ast.stmt | None], list[ast.stmt]],
    ) -> list[ast.stmt]:
        match stmt:
            case ast.If():
                return self._leaving_if(stmt, rest, finish)
            case ast.For() | ast.While():
                if (parts := self._left_by_break(stmt, rest)) is not None:
                    return self.block(parts, finish)
                if not self.loops and (last := self._fallback(stmt, rest)) is not None:
                    return self.block(self.loop(stmt, last), finish)
                return self.block([*self.loop(stmt), *rest], finish)
            case ast.With() | ast.Try():
                return self._leaving_with(stmt, rest, finish)
            case ast.Match():
                return self.block([*match_to_ifs(self, stmt), *rest], finish)
            case _:
                raise Blocked(stmt, "an exit of this kind of statement cannot be moved")

    def _leaving_if(
        self,
        stmt: ast.If,
        rest: list[ast.stmt],
        finish: Callable[[ast.stmt | None], list[ast.stmt]],
    ) -> list[ast.stmt]:
        body_falls = "fall" in exits(stmt.body)
        orelse_falls = "fall" in exits(stmt.orelse)
        before: list[ast.stmt] = []
        if body_falls and orelse_falls and rest and not is_short(rest):
            if self.loops or finish != self._at_function_end:
                return self._with_flag(stmt, rest, finish)
            if self.by_name:
                raise Blocked(stmt, "the rest of a function that binds outer variables")
            hoisted, call = self._hoist(stmt, rest)
            before, rest = [hoisted], [call]
        body = self.block([*stmt.body, *(rest if body_falls else [])], finish)
        orelse = self.block([*stmt.orelse, *(rest if orelse_falls else [])], finish)
        if not (stmt.orelse or self.loops or self.by_name or self.is_traced(stmt)):
            # It stays a Python `if`, and what follows it stays behind it.
            return [*before, self.make_if(stmt, stmt.test, body, []), *orelse]
        return [*before, self.make_if(stmt, stmt.test, body, orelse)]

    def _hoist(
        self, stmt: ast.If, rest: list[ast.stmt]
    ) -> tuple[ast.FunctionDef, ast.Return]:
        """The rest of the function as a local function of what the branches rebind."""
        from jaxfix._analysis.flow import live_in

        needed = live_in(rest, frozenset())
        changed = {*writes([stmt]), *writes(rest)}
        bound = [n for n in names(rest) if n in needed and n in changed]
        name = self.fresh("rest")
        hoisted = build.function(name, bound, self.function_body(rest))
        call = build.call(name, *(build.load(n) for n in bound))
        return hoisted, build.ret(call)

    def _with_flag(
        self,
        stmt: ast.stmt,
        rest: list[ast.stmt],
        finish: Callable[[ast.stmt | None], list[ast.stmt]],
    ) -> list[ast.stmt]:
        """Both branches may go on to a long rest: a flag says whether to run it."""
        flag = self.fresh("skip")
        set_flag = build.assign(flag, build.const(True))

        def mark(leaving: ast.stmt | None) -> list[ast.stmt]:
            if leaving is None:
                return []
            return [*_no_return(finish(leaving), leaving), set_flag]

        inner = self.block([stmt], mark)
        test = build.not_(build.load(flag))
        guarded = self.make_if(None, test, self.block(rest, finish), [])
        return [build.assign(flag, build.const(False)), *inner, guarded]

    def _leaving_with(
        self,
        stmt: ast.With | ast.Try,
        rest: list[ast.stmt],
        finish: Callable[[ast.stmt | None], list[ast.stmt]],
    ) -> list[ast.stmt]:
        """Exits out of a `with` or a `try`."""
        if isinstance(stmt, ast.Try) and (stmt.handlers or stmt.orelse):
            raise Blocked(
                stmt, "an exit on a traced condition leaves a `try` with handlers"
            )
        falls = "fall" in exits(stmt.body)
        if (
            not self.loops
            and (not rest or not falls)
            and self._all_return(stmt.body, rest)
        ):
            return [copy_with(stmt, body=self.block(stmt.body, finish))]
        if not self.loops:
            return self._returning_with(stmt, rest, finish)
        flag = self.fresh("skip")

        def mark(leaving: ast.stmt | None) -> list[ast.stmt]:
            if leaving is None:
                return []
            set_flag = build.assign(flag, build.const(True))
            return [*_no_return(finish(leaving), leaving), set_flag]

        body = self.block(stmt.body, mark)
        first = build.assign(flag, build.const(False))
        out: list[ast.stmt] = [first, copy_with(stmt, body=body)]
        if rest:
            test = build.not_(build.load(flag))
            out.append(self.make_if(None, test, self.block(rest, finish), []))
        return out

    def _returning_with(
        self,
        stmt: ast.With | ast.Try,
        rest: list[ast.stmt],
        finish: Callable[[ast.stmt | None], list[ast.stmt]],
    ) -> list[ast.stmt]:
        """A `return` inside, and more after it: the result is carried out in a name."""
        flag = self.fresh("returned")
        result = self._result_name()

        def mark(leaving: ast.stmt | None) -> list[ast.stmt]:
            if not isinstance(leaving, ast.Return):
                return []
            made = build.assign(result, leaving.value or build.const(None))
            made.origin_return = leaving  # type: ignore[attr-defined]
            return [made, build.assign(flag, build.const(True))]

        body = self.block(stmt.body, mark)
        after = ast.If(build.load(flag), [build.ret(build.load(result))], [])
        after.traced = True  # type: ignore[attr-defined]
        return [
            build.assign(flag, build.const(False)),
            copy_with(stmt, body=body),
            *self.block([after, *rest], finish),
        ]

    def _all_return(self, body: Sequence[ast.stmt], rest: Sequence[ast.stmt]) -> bool:
        return not rest or "fall" not in exits(body)

    def _by_name(self, leaving: ast.stmt | None) -> list[ast.stmt]:
        """The exits of a function that gives its result a name."""
        result = self._result_name()
        if leaving is not None and not isinstance(leaving, ast.Return):
            raise Blocked(leaving, "it leaves a loop that stays a Python loop")
        value = leaving.value if leaving is not None else None
        if isinstance(value, ast.Name) and value.id == result:
            return []
        made = build.assign(result, value or build.const(None))
        made.origin_return = leaving  # type: ignore[attr-defined]
        return [made]

    def _at_function_end(self, leaving: ast.stmt | None) -> list[ast.stmt]:
        """The exits of a function: `return` stays, falling off the end returns None."""
        if leaving is None:
            return [build.ret(None)]
        if isinstance(leaving, ast.Return):
            return [leaving]
        raise Blocked(leaving, "it leaves a loop that stays a Python loop")

    # --- single statements

    def inner(self, stmt: ast.stmt) -> list[ast.stmt]:
        """Rewrite a statement without exits of its own: the blocks inside it."""
        if getattr(stmt, "desugared", False):
            return [stmt]
        match stmt:
            case ast.If():
                if not self._holds_traced(stmt):
                    return [stmt]
                saved, self.loops = self.loops, [] if not self.loops else self.loops
                body = self.block(stmt.body, None)
                orelse = self.block(stmt.orelse, None)
                self.loops = saved
                return [self.make_if(stmt, stmt.test, body, orelse)]
            case ast.For() | ast.While():
                if self.must_convert(stmt):
                    return self.block(self.loop(stmt), None)
                if not self._holds_traced(stmt):
                    return [stmt]
                saved, self.loops = self.loops, []
                body = self.block(stmt.body, None)
                self.loops = saved
                return [
                    copy_with(stmt, body=body, orelse=self.block(stmt.orelse, None))
                ]
            case ast.With():
                if not self._holds_traced(stmt):
                    return [stmt]
                return [copy_with(stmt, body=self.block(stmt.body, None))]
            case ast.Try():
                if not self._holds_traced(stmt):
                    return [stmt]
                new = copy_with(
                    stmt,
                    body=self.block(stmt.body, None),
                    orelse=self.block(stmt.orelse, None),
                    finalbody=self.block(stmt.finalbody, None),
                )
                return [new]
            case ast.Match() if self.is_traced(stmt):
                return self.block(match_to_ifs(self, stmt), None)
            case _:
                return [stmt]

    def _holds_traced(self, stmt: ast.stmt) -> bool:
        return any(
            self.is_traced(node)
            or (isinstance(node, ast.For | ast.While) and self.must_convert(node))
            for node in _blocks(stmt)
        )

    def make_if(
        self,
        origin: ast.If | None,
        test: ast.expr,
        body: list[ast.stmt],
        orelse: list[ast.stmt],
    ) -> ast.If:
        traced = origin is None or self.is_traced(origin)
        is_chain = len(orelse) == 1 and isinstance(orelse[0], ast.If)
        if not (traced or body or is_chain):
            test, body, orelse = build.opposite(test), orelse, []
        made = ast.If(test, body, orelse)
        made.traced = traced  # type: ignore[attr-defined]
        if origin is not None:
            made.origin = build.source_of(origin)  # type: ignore[attr-defined]
        return merge_ifs(made)

    # --- loops

    def _left_by_break(
        self, stmt: ast.For | ast.While, rest: Sequence[ast.stmt]
    ) -> list[ast.stmt] | None:
        """The loop with `break` for `return x`, where `return x` may stand behind it.

        It stands there already, or nothing else leaves the loop and what it reads has a
        value before.
        """
        found = own_returns(stmt.body)
        returned = {ast.dump(r.value) for r in found or () if r.value is not None}
        if not found or stmt.orelse or len(returned) != 1:
            return None
        if any(r.value is None for r in found):
            return None
        match rest:
            case [ast.Return(value=ast.expr() as last), *_]:
                is_same = ast.dump(last) in returned
            case _:
                is_same = False
        local = set(reads(found[0])) & self.fn.variables
        if not local:
            return None
        after = list(rest)
        if not is_same:
            if not _never_ends(stmt) or "break" in exits(stmt.body):
                return None
            if not local <= self._bound_before(stmt):
                return None
            after = [found[0]]
        made = copy_with(stmt, body=[broken(s, found) for s in stmt.body])
        return [made, *after]

    def _bound_before(self, loop: ast.stmt) -> frozenset[str]:
        source = build.source_of(loop)
        assert isinstance(source, ast.stmt), "a loop comes from a loop"
        return self.fn.flow.bound_before(source)

    def _fallback(
        self, stmt: ast.For | ast.While, rest: Sequence[ast.stmt]
    ) -> ast.expr | None:
        """What is returned right after a loop, if the result may start as that.

        It is a number, or a value that the loop leaves alone, of the type of all that
        the loop returns.
        """
        match rest:
            case [ast.Return(value=ast.expr() as value)] if not stmt.orelse:
                returned = [n.value for n in _blocks(stmt) if isinstance(n, ast.Return)]
                alike = all(r is not None and self._starts(value, r) for r in returned)
                changed = {*writes([stmt]), *(name for name, _ in mutations([stmt]))}
                kept = isinstance(value, ast.Name) and value.id not in changed
                constant = not any(isinstance(n, ast.Name) for n in ast.walk(value))
                return value if returned and alike and (kept or constant) else None
            case _:
                return None

    def _starts(self, value: ast.expr, returned: ast.expr) -> bool:
        """Is a choice between the two values of the type of `returned`, whole?"""
        if isinstance(value, ast.Tuple) and isinstance(returned, ast.Tuple):
            pairs = zip(value.elts, returned.elts, strict=False)
            same_length = len(value.elts) == len(returned.elts)
            return same_length and all(self._starts(a, b) for a, b in pairs)
        known = self.fn.value(returned)
        found = as_array(known) if known is not None else None
        first = self.fn.value(value)
        if found is None or found.dtype is None or found.shape is None:
            return False
        if is_literal(value):
            number = as_array(first) if first is not None else None
            scalar = number is not None and found.shape == number.shape
            kind = number.dtype.kind if scalar and number and number.dtype else None
            return kind is not None and kind == found.dtype.kind
        return (
            isinstance(value, ast.Name)
            and isinstance(first, Array)
            and (first.dtype, first.shape) == (found.dtype, found.shape)
        )

    def loop(
        self, stmt: ast.For | ast.While, fallback: ast.expr | None = None
    ) -> list[ast.stmt]:
        """A loop that is rewritten, and what follows from how it was left.

        Args:
          stmt: the loop.
          fallback: what is returned right after it, as `_fallback` gives it.
        """
        if getattr(stmt, "desugared", False):
            return [stmt]
        test, body = self._leading_breaks(stmt)
        defaults, orelse = otherwise_first(stmt, self._bound_before(stmt))
        flags = LoopFlags()
        kinds = exits(body)
        if "break" in kinds or "return" in kinds:
            flags.done = self.fresh("done")
        if "return" in kinds:
            needs_two = "break" in kinds and fallback is None
            flags.returned = self.fresh("found") if needs_two else flags.done
        self.loops.append(flags)
        try:
            new_body = self.block(body, self._at_iteration_end)
        finally:
            self.loops.pop()
        bound: list[ast.stmt] = []
        if test is not None:
            test, bound = self._bound_first(stmt, test)
        again = bound
        if bound and flags.uses_done and flags.done is not None:
            # Who leaves does not ask again.
            stays = build.not_(build.load(flags.done))
            again = [self.make_if(None, stays, bound, [])]
        made = copy_with(stmt, body=[*new_body, *again], orelse=[])
        if isinstance(made, ast.While) and test is not None:
            made.test = test
        made.desugared = True  # type: ignore[attr-defined]
        leading = stmt.body[: len(stmt.body) - len(body)]
        made.traced = any(map(self.is_traced, [stmt, *leading]))  # type: ignore[attr-defined]
        made.done = flags.done if flags.uses_done else None  # type: ignore[attr-defined]
        before = [*defaults, *bound]
        for flag in dict.fromkeys((flags.done, flags.returned)):
            if flag is not None:
                before.append(build.assign(flag, build.const(False)))
        after: list[ast.stmt] = []
        if fallback is not None:
            before.append(build.assign(self._result_name(), fallback))
            after.append(build.ret(build.load(self._result_name())))
        elif flags.returned is not None:
            assert self.result is not None, "a loop that returns has a result"
            leave: ast.stmt = build.ret(build.load(self.result))
            if not (_never_ends(made) and "break" not in kinds):
                leave = ast.If(build.load(flags.returned), [leave], [])
                leave.traced = True  # type: ignore[attr-defined]
            leave.origin = stmt  # type: ignore[attr-defined]
            after.append(leave)
        if orelse and flags.done is not None:
            otherwise = ast.If(build.not_(build.load(flags.done)), orelse, [])
            otherwise.traced = True  # type: ignore[attr-defined]
            after.append(otherwise)
        else:
            after += orelse
        return [*before, made, *after]

    def _leading_breaks(
        self, stmt: ast.For | ast.While
    ) -> tuple[ast.expr | None, list[ast.stmt]]:
        """A `while` whose body begins with `if c: break`: c joins the condition."""
        body = list(stmt.body)
        if not isinstance(stmt, ast.While):
            return None, body
        tests = [] if _is_true(stmt.test) else [stmt.test]
        # What the `else` of a loop asks is whether a `break` left it.
        while body and not stmt.orelse:
            first = body[0]
            match first:
                case ast.If(body=[ast.Break()], orelse=[]) if self._may_repeat(
                    first.test
                ):
                    tests.append(build.not_(first.test))
                    body.pop(0)
                case _:
                    break
        if not tests:
            return stmt.test, body
        test = tests[0] if len(tests) == 1 else ast.BoolOp(ast.And(), tests)
        return test, body

    def _bound_first(
        self, stmt: ast.stmt, test: ast.expr
    ) -> tuple[ast.expr, list[ast.stmt]]:
        """`(y := f(x)) > 0` as `y > 0`, and the `y = f(x)` that comes before it."""
        named = [n for n in ast.walk(test) if isinstance(n, ast.NamedExpr)]
        if not named:
            return test, []
        first = without_binding(self.fn, test)
        if first is None or len(named) > 1:
            raise Blocked(stmt, "the loop's condition binds a name that may be skipped")
        return first, [build.assign(named[0].target.id, named[0].value)]

    def _may_repeat(self, test: ast.expr) -> bool:
        return not any(isinstance(n, ast.NamedExpr) for n in ast.walk(test))

    def _at_iteration_end(self, leaving: ast.stmt | None) -> list[ast.stmt]:
        """The exits of a loop's body: what the loop must know goes into flags."""
        flags = self.loops[-1]
        match leaving:
            case None | ast.Continue():
                return []
            case ast.Break():
                assert flags.done is not None, "a loop with a break has a flag"
                flags.uses_done = True
                return [build.assign(flags.done, build.const(True))]
            case ast.Return():
                assert flags.returned is not None, "a loop with a return has a flag"
                assert flags.done is not None, "a loop with a return has a flag"
                flags.uses_done = True
                result = self._result_name()
                out: list[ast.stmt] = []
                value = leaving.value or build.const(None)
                if not (isinstance(value, ast.Name) and value.id == result):
                    made = build.assign(result, value)
                    made.origin_return = leaving  # type: ignore[attr-defined]
                    out.append(made)
                for flag in dict.fromkeys((flags.done, flags.returned)):
                    out.append(build.assign(flag, build.const(True)))
                return out
            case _:
                raise Blocked(leaving, "an exit of this kind cannot be moved")

    def _result_name(self) -> str:
        if self.result is None:
            self.result = self.fresh("result")
        return self.result


def otherwise_first(
    stmt: ast.For | ast.While, bound: frozenset[str]
) -> tuple[list[ast.stmt], list[ast.stmt]]:
    """The assignments of an `else` that may as well stand before the loop; the rest.

    In `for ...: if c: hit = k; break` with `else: hit = -1` the name gets another value
    only on the way out, so it may begin with the one that it has if nobody leaves. The
    names in `bound` have a value before the loop.
    """
    changed = set(writes([stmt.target] if isinstance(stmt, ast.For) else []))
    changed |= {*writes(stmt.body), *(name for name, _ in mutations(stmt.body))}
    head = [stmt.test] if isinstance(stmt, ast.While) else []
    read = set(reads([*head, *stmt.body]))
    first: list[ast.stmt] = []
    for one in stmt.orelse:
        match one:
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if (
                name not in read | bound
                and _is_plain(value, changed)
                and _on_way_out(name, stmt.body)
            ):
                first.append(one)
            case _:
                break
    return first, stmt.orelse[len(first) :]


def _is_plain(value: ast.expr, changed: set[str]) -> bool:
    """A number or text, or a name that a loop leaves alone."""
    match value:
        case ast.Constant():
            return True
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant()):
            return True
        case ast.Name(id=name):
            return name not in changed
        case _:
            return False


def _on_way_out(name: str, block: Sequence[ast.stmt]) -> bool:
    """Is every statement that binds a name followed by an exit from the loop?"""
    if name not in writes(block):
        return True
    if not exits(block) - {"break", "return", "raise"}:
        return True
    inner = [
        part
        for stmt in block
        if isinstance(stmt, ast.If | ast.With)
        for part in (stmt.body, getattr(stmt, "orelse", []))
    ]
    others = [s for s in block if not isinstance(s, ast.If | ast.With)]
    tests = [s.test for s in block if isinstance(s, ast.If)]
    return name not in writes([*others, *tests]) and all(
        _on_way_out(name, part) for part in inner
    )


def _never_ends(stmt: ast.stmt) -> bool:
    """Is it `while True`, which only an exit leaves?"""
    return isinstance(stmt, ast.While) and _is_true(stmt.test)


def own_returns(body: Sequence[ast.stmt]) -> list[ast.Return] | None:
    """The `return`s in a loop; None if one of them is in an inner loop or a `with`."""
    found: list[ast.Return] = []
    for stmt in body:
        match stmt:
            case ast.Return():
                found.append(stmt)
            case ast.If(body=first, orelse=second):
                one, other = own_returns(first), own_returns(second)
                if one is None or other is None:
                    return None
                found += [*one, *other]
            case _ if "return" in exits([stmt]):
                return None
    return found


def broken(stmt: ast.stmt, returns: Sequence[ast.Return]) -> ast.stmt:
    """The statement with `break` for these `return`s."""
    if any(stmt is one for one in returns):
        made = ast.Break()
        made.origin = stmt  # type: ignore[attr-defined]
        return made
    if isinstance(stmt, ast.If) and "return" in exits([stmt]):
        first = [broken(s, returns) for s in stmt.body]
        return copy_with(
            stmt, body=first, orelse=[broken(s, returns) for s in stmt.orelse]
        )
    return stmt


def last_calls(stmt: ast.stmt) -> list[ast.Call]:
    """The calls like `out.append(x)` that every way through an `if` ends with.

    Empty if there is a way that ends otherwise.
    """
    match stmt:
        case ast.If(body=[*_, first], orelse=[*_, second]):
            one, other = last_calls(first), last_calls(second)
            return [*one, *other] if one and other else []
        case ast.Expr(
            value=ast.Call(
                func=ast.Attribute(value=ast.Name(), attr=attr), args=[arg], keywords=[]
            ) as call
        ) if attr in MUTATING_METHODS and not isinstance(arg, ast.Starred):
            return [call]
        case _:
            return []


def with_item(stmt: ast.stmt, item: str) -> ast.stmt:
    """The `if` with `item = x` in place of every last call `out.append(x)`."""
    match stmt:
        case ast.If(body=[*body, first], orelse=[*orelse, second]):
            return copy_with(
                stmt,
                body=[*body, with_item(first, item)],
                orelse=[*orelse, with_item(second, item)],
            )
        case ast.Expr(value=ast.Call(args=[value])):
            made = build.assign(item, value)
            made.origin = build.source_of(stmt)  # type: ignore[attr-defined]
            return made
        case _:
            raise AssertionError("it ends with such calls")


def without_binding(fn: Function, test: ast.expr) -> ast.expr | None:
    """A condition with the name that it binds first; None if it may not bind it."""
    match test:
        case ast.NamedExpr(target=ast.Name(id=name), value=value):
            return _known(build.load(name), fn, value)
        case ast.Compare(left=left) if (first := without_binding(fn, left)) is not None:
            return _known(ast.Compare(first, test.ops, test.comparators), fn, test)
        case ast.UnaryOp(op=ast.Not() as op, operand=operand):
            first = without_binding(fn, operand)
            return ast.UnaryOp(op, first) if first is not None else None
        case ast.BoolOp(op=op, values=[one, *others]):
            first = without_binding(fn, one)
            return ast.BoolOp(op, [first, *others]) if first is not None else None
        case _:
            return None


def _known(node: ast.expr, fn: Function, like: ast.expr) -> ast.expr:
    """A new node with what is known of the original one."""
    value = fn.value(like)
    node.fact = value  # type: ignore[attr-defined]
    return marked(node) if is_bool(value) else node


def _no_return(stmts: list[ast.stmt], leaving: ast.stmt) -> list[ast.stmt]:
    if any(isinstance(s, ast.Return) for s in stmts):
        raise Blocked(leaving, "a return here would need a flag")
    return stmts


def _blocks(stmt: ast.stmt) -> list[ast.AST]:
    """The statements in a statement (itself too), not those of nested functions."""
    found: list[ast.AST] = []
    todo: list[ast.AST] = [stmt]
    while todo:
        node = todo.pop()
        if isinstance(node, ast.stmt):
            found.append(node)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            continue
        todo += [
            c
            for c in ast.iter_child_nodes(node)
            if isinstance(c, ast.stmt | ast.excepthandler | ast.match_case)
        ]
    return found


def copy_with(stmt: ast.stmt, **fields: object) -> ast.stmt:
    """A copy of a compound statement with other blocks; it remembers its origin."""
    make: Callable[..., ast.stmt] = type(stmt)
    new = make(**{name: getattr(stmt, name, None) for name in stmt._fields})
    for name, value in fields.items():
        setattr(new, name, value)
    new.origin = build.source_of(stmt)  # type: ignore[attr-defined]
    for mark in ("traced", "desugared", "done"):
        if hasattr(stmt, mark):
            setattr(new, mark, getattr(stmt, mark))
    return new


def is_short(rest: Sequence[ast.stmt]) -> bool:
    """May the rest of a block stand in two branches? One short statement may."""
    match rest:
        case [ast.Return(value=value)]:
            return value is None or sum(1 for _ in ast.walk(value)) <= 12
        case [ast.Assign() | ast.AugAssign() as only]:
            return sum(1 for _ in ast.walk(only)) <= 10
        case _:
            return not rest


def _is_true(test: ast.expr) -> bool:
    return isinstance(test, ast.Constant) and bool(test.value)


def sets_flags(stmts: Sequence[ast.stmt]) -> bool:
    """Are these only assignments of constants that we made (`done = True`)?"""
    return bool(stmts) and all(
        isinstance(s, ast.Assign)
        and build.is_new(s)
        and isinstance(s.value, ast.Constant)
        and isinstance(s.value.value, bool)
        for s in stmts
    )


def merge_ifs(node: ast.If) -> ast.If:
    """`if a: F else: if b: F else: R` is `if a or b: F else: R`, where F sets flags."""
    match node:
        case ast.If(body=body, orelse=[ast.If() as inner]) if (
            node.traced  # type: ignore[attr-defined]
            and getattr(inner, "traced", False)
            and sets_flags(body)
            and same_code(body, inner.body)
        ):
            merged = ast.If(either(node.test, inner.test), body, inner.orelse)
            merged.traced = True  # type: ignore[attr-defined]
            if hasattr(node, "origin"):
                merged.origin = node.origin  # type: ignore[attr-defined]
            return merged
    return node


def either(a: ast.expr, b: ast.expr) -> ast.expr:
    values = [
        *(a.values if _is_new_or(a) else [a]),
        *(b.values if _is_new_or(b) else [b]),
    ]
    return ast.BoolOp(ast.Or(), values)


def _is_new_or(node: ast.expr) -> TypeGuard[ast.BoolOp]:
    return (
        isinstance(node, ast.BoolOp)
        and isinstance(node.op, ast.Or)
        and build.is_new(node)
    )


def same_code(a: Sequence[ast.stmt], b: Sequence[ast.stmt]) -> bool:
    return [ast.dump(s) for s in a] == [ast.dump(s) for s in b]


def match_to_ifs(desugar: Desugar, stmt: ast.Match) -> list[ast.stmt]:
    """A `match` on a traced value as a chain of comparisons."""
    subject = stmt.subject
    before: list[ast.stmt] = []
    if not isinstance(subject, ast.Name | ast.Attribute):
        name = desugar.fresh("subject")
        before.append(build.assign(name, subject))
        subject = build.load(name)
    orelse: list[ast.stmt] = []
    for index, case in reversed(list(enumerate(stmt.cases))):
        if isinstance(case.pattern, ast.MatchAs) and case.pattern.pattern is None:
            if case.pattern.name is not None:
                before.append(build.assign(case.pattern.name, subject))
            test = case.guard
        else:
            test = _pattern_test(stmt, subject, case.pattern)
            if case.guard is not None and test is not None:
                test = ast.BoolOp(ast.And(), [test, case.guard])
        if test is None:
            if index != len(stmt.cases) - 1:
                raise Blocked(stmt, "a case that always matches is not the last one")
            orelse = list(case.body)
            continue
        made = ast.If(test, list(case.body), orelse)
        made.traced = True  # type: ignore[attr-defined]
        if index == 0:
            made.origin = stmt  # type: ignore[attr-defined]
        orelse = [made]
    return [*before, *orelse]


def _pattern_test(
    stmt: ast.Match, subject: ast.expr, pattern: ast.pattern
) -> ast.expr | None:
    match pattern:
        case ast.MatchValue(value=value):
            return ast.Compare(subject, [ast.Eq()], [value])
        case ast.MatchSingleton(value=bool() as value):
            return subject if value else build.not_(subject)
        case ast.MatchOr(patterns=patterns):
            tests = [_pattern_test(stmt, subject, p) for p in patterns]
            if all(t is not None for t in tests):
                return ast.BoolOp(ast.Or(), [t for t in tests if t is not None])
    raise Blocked(stmt, f"the pattern `{ast.unparse(pattern)}` binds or takes apart")
