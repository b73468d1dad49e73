"""`match` on a traced value as a chain of comparisons."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from jaxfix._analysis import build

from .blocks import Blocked

if TYPE_CHECKING:
    from .desugar import Desugar


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
