"""`match` on a traced value as a chain of comparisons."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from jaxfix._analysis import build
from jaxfix._analysis.scopes import walk

from .blocks import Blocked
from .booleans import marked

if TYPE_CHECKING:
    from .desugar import Desugar


@dataclass(slots=True)
class Match:
    """When a pattern matches, and what it binds then."""

    tests: list[ast.expr] = field(default_factory=list)
    bound: dict[str, ast.expr] = field(default_factory=dict)

    def test(self) -> ast.expr | None:
        """All tests as one; None if the pattern always matches."""
        if len(self.tests) > 1:
            return ast.BoolOp(ast.And(), list(self.tests))
        return self.tests[0] if self.tests else None


def match_to_ifs(desugar: Desugar, stmt: ast.Match) -> list[ast.stmt]:
    """A `match` on a traced value as a chain of comparisons."""
    before: list[ast.stmt] = []
    subject = _as_names(desugar, stmt.subject, before, _own_name(desugar, stmt))
    ways = [_match(desugar, stmt, subject, case.pattern) for case in stmt.cases]
    early: dict[str, ast.expr] = {}
    for case, found in zip(stmt.cases, ways, strict=True):
        if case.guard is not None:
            # It may read what the pattern binds, and what it refuses stays bound.
            early |= found.bound
            found.tests.append(case.guard)
    for name in early:
        if not _used_in_its_cases(desugar, stmt, name):
            raise Blocked(stmt, f"`{name}` keeps what a case with a guard binds")
        if len({ast.dump(w.bound[name]) for w in ways if name in w.bound}) > 1:
            raise Blocked(stmt, f"`{name}` is bound in several ways")
    before += _bindings(early)
    orelse: list[ast.stmt] = []
    for index, (case, found) in reversed(
        list(enumerate(zip(stmt.cases, ways, strict=True)))
    ):
        late = {n: value for n, value in found.bound.items() if n not in early}
        body = [*_bindings(late), *case.body]
        test = found.test()
        if test is None:
            if index != len(stmt.cases) - 1:
                raise Blocked(stmt, "a case that always matches is not the last one")
            orelse = body
            continue
        made = ast.If(test, body, orelse)
        made.traced = True  # type: ignore[attr-defined]
        if index == 0:
            made.origin = stmt  # type: ignore[attr-defined]
        orelse = [made]
    return [*before, *orelse]


def _bindings(bound: dict[str, ast.expr]) -> list[ast.stmt]:
    return [
        build.assign(name, value)
        for name, value in bound.items()
        if not (isinstance(value, ast.Name) and value.id == name)
    ]


def _own_name(desugar: Desugar, stmt: ast.Match) -> str | None:
    """The name that the cases have for the subject, if there is one for all uses."""
    patterns = [p for c in stmt.cases for p in ast.walk(c.pattern)]
    whole = [c.pattern for c in stmt.cases if isinstance(c.pattern, ast.MatchAs)]
    given = {p.name for p in whole if p.name is not None}
    everywhere = {p.name for p in patterns if isinstance(p, ast.MatchAs) and p.name}
    if len(given) != 1 or given != everywhere:
        return None
    (name,) = given
    return name if _used_in_its_cases(desugar, stmt, name) else None


def _as_names(
    desugar: Desugar, subject: ast.expr, before: list[ast.stmt], name: str | None
) -> ast.expr:
    """A subject that may be read in each case; a tuple keeps its elements apart."""
    match subject:
        case ast.Name() | ast.Attribute() | ast.Constant():
            return subject
        case ast.Tuple(elts=elts) if not any(isinstance(e, ast.Starred) for e in elts):
            named = [_as_names(desugar, e, before, None) for e in elts]
            return ast.Tuple(named, ast.Load())
        case _:
            name = name or desugar.fresh("subject")
            before.append(build.assign(name, subject))
            read = build.load(name)
            read.origin = subject  # type: ignore[attr-defined]
            return read


def _used_in_its_cases(desugar: Desugar, stmt: ast.Match, name: str) -> bool:
    """Is a name read or bound only in the cases whose patterns bind it?"""
    inside: set[int] = set()
    for case in stmt.cases:
        if name in _captures(case.pattern):
            guard = [case.guard] if case.guard is not None else []
            inside |= {id(n) for n in walk(*case.body, *guard)}
    return not any(
        isinstance(node, ast.Name) and node.id == name and id(node) not in inside
        for node in walk(desugar.fn.node)
    )


def _captures(pattern: ast.pattern) -> set[str]:
    named = (n for n in ast.walk(pattern) if isinstance(n, ast.MatchAs))
    return {n.name for n in named if n.name is not None}


def _match(
    desugar: Desugar, stmt: ast.Match, subject: ast.expr, pattern: ast.pattern
) -> Match:
    match pattern:
        case ast.MatchAs(pattern=inner, name=name):
            found = (
                _match(desugar, stmt, subject, inner) if inner is not None else Match()
            )
            return Match(found.tests, found.bound | ({name: subject} if name else {}))
        case ast.MatchValue(value=value):
            equal = ast.Compare(subject, [ast.Eq()], [value])
            is_array = desugar.fn.tracer(subject) is not None
            return Match([marked(equal) if is_array else equal])
        case ast.MatchSingleton(value=bool() as value):
            return Match([subject if value else build.not_(subject)])
        case ast.MatchOr(patterns=patterns):
            ways = [_match(desugar, stmt, subject, p) for p in patterns]
            tests = [test for way in ways if (test := way.test()) is not None]
            if not any(way.bound for way in ways):
                always = len(tests) < len(ways)
                return Match([] if always else [ast.BoolOp(ast.Or(), tests)])
        case ast.MatchSequence(patterns=patterns) if (
            isinstance(subject, ast.Tuple)
            and len(subject.elts) == len(patterns)
            and not any(isinstance(p, ast.MatchStar) for p in patterns)
        ):
            whole = Match()
            for element, part in zip(subject.elts, patterns, strict=True):
                found = _match(desugar, stmt, element, part)
                whole.tests += found.tests
                whole.bound |= found.bound
            return whole
    raise Blocked(stmt, f"the pattern `{ast.unparse(pattern)}` binds or takes apart")
