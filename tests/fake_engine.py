"""An engine that needs no JAX: it finds calls by name, so that the shell can be tested.

`bad(...)` has a safe fix, `risky(...)` an unsafe one, `ugly(...)` none, and all
`both(...)` of a run are fixed together or not at all.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from jaxfix._analysis.finding import (
    Change,
    Edit,
    Evidence,
    Explained,
    FileError,
    Finding,
    Fix,
    Safety,
    Span,
)
from jaxfix._analysis.settings import Settings
from jaxfix._analysis.source import Source
from jaxfix._analysis.suppress import apply_edits

RULES = {
    "bad": ("traced-if", Safety.SAFE, "good"),
    "risky": ("traced-while", Safety.UNSAFE, "tame"),
    "ugly": ("stale-global", Safety.REPORT, ""),
    "both": ("static-arg", Safety.SAFE, "pair"),
}


@dataclass(frozen=True, slots=True)
class Outcome:
    findings: tuple[Finding, ...]
    changes: tuple[Change, ...]
    fixed: tuple[Finding, ...]
    errors: tuple[FileError, ...]


@dataclass(frozen=True, slots=True)
class EngineOptions:
    rules: frozenset[str]
    settings: Settings
    roots: tuple[str, ...]
    skip: Callable[[Finding], bool]
    jobs: int


@dataclass(frozen=True, slots=True)
class RuleInfo:
    name: str
    summary: str
    safety: Safety


def run(
    sources: Sequence[Source], options: EngineOptions, *, fix: Safety | None
) -> Outcome:
    findings, fixed, changes = [], [], []
    for source in sources:
        mended = []
        for finding, edit in _calls(source):
            if finding.rule not in options.rules:
                continue
            findings.append(finding)
            allowed = {Safety.SAFE} if fix is Safety.SAFE else set(Safety)
            may_fix = fix is not None and finding.fix is not None
            if may_fix and finding.fix.safety in allowed and not options.skip(finding):
                mended.append(edit)
                fixed.append(finding)
        if mended:
            after = apply_edits(source.text, mended)
            changes.append(Change(source.path, source.text, after, (), ()))
    return Outcome(tuple(findings), _tied(changes), tuple(fixed), ())


def _tied(changes: Sequence[Change]) -> tuple[Change, ...]:
    """Files where a `both` changed are written together."""
    group = tuple(c.path for c in changes if c.before.count("both(") > 0)
    return tuple(
        Change(c.path, c.before, c.after, (), (), group) if c.path in group else c
        for c in changes
    )


def _calls(source: Source) -> Iterator[tuple[Finding, Edit]]:
    for function, node in _named(source.tree, ""):
        rule, safety, new = RULES[node.id]
        span = source.span(node)
        fix = Fix(f"call `{new}`", safety) if new else None
        because = (Evidence(source.path, 1, "`f` is under jax.jit"),)
        message = f"`{node.id}` on a traced value"
        reason = None if new else "nobody knows how"
        yield (
            Finding(source.path, span, rule, message, because, fix, reason, function),
            Edit(Span(span.line, span.column, span.end_line, span.end_column), new),
        )


def _named(node: ast.AST, function: str) -> Iterator[tuple[str, ast.Name]]:
    for inner in ast.iter_child_nodes(node):
        name = function
        if isinstance(inner, ast.FunctionDef):
            name = f"{function}.<locals>.{inner.name}" if function else inner.name
        if isinstance(inner, ast.Name) and inner.id in RULES:
            yield function, inner
        yield from _named(inner, name)


def rule_names() -> tuple[str, ...]:
    return tuple(rule for rule, _, _ in RULES.values())


def rule_page(name: str) -> str:
    return f"# {name}\n\nA call by name.\n\n- https://docs.jax.dev/en/latest/{name}\n"


def rule_table() -> tuple[RuleInfo, ...]:
    return tuple(
        RuleInfo(rule, f"{call} is called.", safety)
        for call, (rule, safety, _) in RULES.items()
    )


def why(
    sources: Sequence[Source],
    path: str,
    line: int,
    name: str | None,
    options: EngineOptions,
) -> tuple[Explained, ...]:
    what = Evidence(path, line, f"{name} of {len(sources)} files")
    return (Explained(what, (Evidence(path, 1, "it starts"),)),)
