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

from jaxfix._analysis import build
from jaxfix._analysis.closures import outer_names
from jaxfix._analysis.facts import Function
from jaxfix._analysis.finding import CannotFix
from jaxfix._analysis.flow import exits, live_in
from jaxfix._analysis.scopes import names, writes

from . import guards, places
from .bindings import named_first
from .blocks import LEAVES, Blocked, copy_with, is_short, merge_ifs, statements_in
from .endless import counted, counting
from .loop_exits import (
    asked_in_turn,
    bound_first,
    fallback_of,
    leading_breaks,
    left_by_break,
    never_ends,
    otherwise_first,
)
from .matching import match_to_ifs
from .one_call import common_end, put, with_item


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
    named: list[places.Place] = field(default_factory=list)

    # --- what forces a rewrite

    def traced_exits(
        self, stmts: Sequence[ast.stmt], under: bool = False
    ) -> frozenset[str]:
        """The exits in `stmts` that a traced condition decides.

        What stands behind one of them is reached on that condition too.
        """
        found: frozenset[str] = frozenset()
        for stmt in stmts:
            found |= self._exits_of(stmt, under or bool(found))
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
                # The `else` of a loop runs unless a `break` left it.
                otherwise = under or "break" in inside
                return (inside & {"return"}) | self.traced_exits(stmt.orelse, otherwise)
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
        if is_procedure(body):
            falls = "fall" in exits(body)
            end = [] if falls else [build.ret(build.const(None))]
            return [*self.block(body, self._without_value), *end]
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
            if (
                isinstance(stmt, ast.If)
                and self.is_traced(stmt)
                and (named := named_first(self.fn, stmt)) is not None
            ):
                return out + self.block([*named, *rest], finish)
            if (
                isinstance(stmt, ast.If)
                and (guard := self._guard(stmt, rest)) is not None
            ):
                return out + self.block([*guard, *rest], finish)
            if (
                isinstance(stmt, ast.If)
                and finish == self._at_iteration_end
                and (joined := self._continued(stmt, rest)) is not None
            ):
                return out + self.block(joined, finish)
            if (
                isinstance(stmt, ast.If)
                and (apart := self._last_call(stmt)) is not None
            ):
                return out + self.block([*apart, *rest], finish)
            if isinstance(stmt, ast.For) and (loop := self._counted(stmt)):
                return out + self.block([*loop, *rest], finish)
            if self._is_region(stmt):
                try:
                    found = self._on_names(stmt)
                except Blocked:
                    if isinstance(stmt, ast.If) and (
                        apart := self._once(stmt, ast.Subscript)
                    ):
                        return out + self.block([*apart, *rest], finish)
                    whole = self._with_rest(stmt, rest, finish)
                    if whole is None:
                        raise
                    return out + whole
                if found.places:
                    self.taken_apart.append(found.stmt)
                    named = [*found.before, found.stmt, *found.after]
                    return out + self.block([*named, *rest], finish)
                if any(True for later in rest for _ in places.stores(later)):
                    whole = self._with_rest(stmt, rest, finish)
                    if whole is not None:
                        return out + whole
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

    def _guard(self, stmt: ast.If, rest: Sequence[ast.stmt]) -> list[ast.stmt] | None:
        """`if known and traced` as `if known: if traced`, where the parts need it."""
        if not self.is_traced(stmt):
            return None
        try:
            found = guards.nested(self.fn, stmt, rest)
        except CannotFix as error:
            raise Blocked(stmt, str(error)) from error
        if found is None:
            return None
        parts, shared = found
        inner = copy_with(stmt, test=parts.traced)
        if parts.is_and:
            return [ast.If(parts.known, [inner], shared)]
        if "fall" not in exits(shared):
            return [ast.If(parts.known, shared, []), inner]
        return [ast.If(parts.known, shared, [inner])]

    def _counted(self, stmt: ast.For) -> list[ast.stmt]:
        """A loop over `itertools.count` that a traced test leaves, as `while True`."""
        if not self.traced_exits(stmt.body) & LEAVES:
            return []
        span = counting(self.fn, stmt.iter)
        return counted(self.fn, stmt, span, self.fresh) if span is not None else []

    def _last_call(self, stmt: ast.If) -> list[ast.stmt] | None:
        """`if c: out.append(a) else: out.append(b)` as a choice and one `append`."""
        if not self.is_traced(stmt):
            return None
        return self._once(stmt, ast.Attribute)

    def _once(self, stmt: ast.If, kind: type[ast.expr]) -> list[ast.stmt] | None:
        """The `if` as a choice of a value, and the one statement that takes it."""
        end = common_end(self.fn, stmt)
        if end is None or not isinstance(end, kind):
            return None
        item = self.fresh("item")
        return [with_item(self.fn, stmt, end, item), put(end, item)]

    def _continued(
        self, stmt: ast.If, rest: Sequence[ast.stmt]
    ) -> list[ast.stmt] | None:
        """`if c: out.append(a); continue`, and then a last `out.append(b)`.

        As a choice and one `append`.
        """
        match stmt:
            case ast.If(body=[_, *_, ast.Continue()], orelse=[]) if rest:
                whole = copy_with(stmt, body=stmt.body[:-1], orelse=list(rest))
                if exits([whole]) & LEAVES or not isinstance(whole, ast.If):
                    return None
                return self._last_call(whole)
            case _:
                return None

    def _is_region(self, stmt: ast.stmt) -> bool:
        if any(stmt is known for known in self.taken_apart):
            return False
        return self.is_traced(stmt) or (
            isinstance(stmt, ast.For | ast.While)
            and not getattr(stmt, "desugared", False)
            and self.must_convert(stmt)
        )

    def _on_names(self, stmt: ast.stmt) -> places.Extracted:
        """The region with attributes and items that it assigns as plain names."""
        try:
            found = places.extract(self.fn, stmt, self.fresh, self.edit)
        except CannotFix as error:
            raise Blocked(stmt, str(error)) from error
        self.named += found.places
        return found

    def _with_rest(
        self,
        stmt: ast.stmt,
        rest: list[ast.stmt],
        finish: Callable[[ast.stmt | None], list[ast.stmt]] | None,
    ) -> list[ast.stmt] | None:
        """A region that returns, and all that follows, with objects on names.

        Whichever way it ends, the objects get what the names hold; then comes the one
        `return`. None if it is no such region, or no object changes.
        """
        if "return" not in exits([stmt]) or finish != self._at_function_end:
            return None
        whole = ast.If(build.const(True), [stmt, *rest], [])
        whole.origin = [stmt, *rest][-1]  # type: ignore[attr-defined]
        try:
            found = self._on_names(whole)
        except Blocked:
            return None
        if not found.places:
            return None
        named = found.stmt
        assert isinstance(named, ast.If), "it is a copy of one"
        if is_procedure([whole]):
            return [
                *found.before,
                *self.block(named.body, self._without_value),
                *found.after,
            ]
        self.by_name = True
        body = self.block(named.body, self._by_name)
        result = build.ret(build.load(self._result_name()))
        return [*found.before, *body, *found.after, result]

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
                if stmt.orelse and "break" not in exits(stmt.body):
                    # Who does not return gets to the `else`.
                    plain = copy_with(stmt, orelse=[])
                    otherwise = [] if never_ends(stmt) else stmt.orelse
                    falls = "fall" in exits(otherwise)
                    after = [*otherwise, *(rest if falls else [])]
                    return self.block([plain, *after], finish)
                if (parts := left_by_break(self, stmt, rest)) is not None:
                    return self.block(parts, finish)
                if (
                    not self.loops
                    and (last := fallback_of(self, stmt, rest)) is not None
                ):
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

        needed = live_in(rest, frozenset())
        changed = {*writes([stmt]), *writes(rest)}
        bound = [n for n in names(rest) if n in needed and n in changed]
        name = self.fresh("rest")
        # What its loops return has a name of its own there.
        outer, self.result = self.result, None
        hoisted = build.function(name, bound, self.function_body(rest))
        self.result = outer
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

    def _without_value(self, leaving: ast.stmt | None) -> list[ast.stmt]:
        """The exits of a procedure, which is left at its end."""
        if leaving is not None and not isinstance(leaving, ast.Return):
            raise Blocked(leaving, "it leaves a loop that stays a Python loop")
        return []

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
            for node in statements_in(stmt)
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

    def bound_before(self, loop: ast.stmt) -> frozenset[str]:
        source = build.source_of(loop)
        assert isinstance(source, ast.stmt), "a loop comes from a loop"
        return self.fn.flow.bound_before(source)

    def loop(
        self, stmt: ast.For | ast.While, fallback: ast.expr | None = None
    ) -> list[ast.stmt]:
        """A loop that is rewritten, and what follows from how it was left.

        Args:
          stmt: the loop.
          fallback: what is returned right after it, as `fallback_of` gives it.
        """
        if getattr(stmt, "desugared", False):
            return [stmt]
        stmt = asked_in_turn(self.fn, stmt)
        test, body = leading_breaks(self, stmt)
        defaults, orelse = otherwise_first(stmt, self.bound_before(stmt))
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
            test, bound = bound_first(self, stmt, test)
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
            if not (never_ends(made) and "break" not in kinds):
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


def is_procedure(body: Sequence[ast.stmt]) -> bool:
    """Does no `return` in it give a value but None?"""
    nodes = (node for stmt in body for node in statements_in(stmt))
    values = [n.value for n in nodes if isinstance(n, ast.Return)]
    return all(
        v is None or (isinstance(v, ast.Constant) and v.value is None) for v in values
    )


def _no_return(stmts: list[ast.stmt], leaving: ast.stmt) -> list[ast.stmt]:
    if any(isinstance(s, ast.Return) for s in stmts):
        raise Blocked(leaving, "a return here would need a flag")
    return stmts
