"""What each fix does to its file, for editors and CI: out of the change as a whole."""

from __future__ import annotations

import ast
import difflib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from jaxfix._analysis.finding import Change, Edit, Finding, Span
from jaxfix._analysis.source import Source


def edits_of(
    findings: Iterable[Finding],
    changes: Iterable[Change],
    sources: Mapping[str, Source],
) -> dict[Finding, tuple[Edit, ...]]:
    """For each finding that the changes mend, the hunks of its function.

    Hunks outside of all functions belong to every finding of the file; but of imports
    only what the hunks of the function name, and none is removed: another fix of the
    file, which may not be made, is what makes it useless.
    """
    edits: dict[Finding, tuple[Edit, ...]] = {}
    fixed: dict[str, list[Finding]] = {}
    for finding in findings:
        fixed.setdefault(finding.path, []).append(finding)
    for change in changes:
        source = sources.get(change.path)
        if source is None or change.path not in fixed:
            continue
        hunks = list(_hunks(source.lines, change.after.split("\n")))
        functions = _functions(source.tree)
        for finding in fixed[change.path]:
            around = _around(finding.span, functions)
            mine = [e for e, a, b in hunks if a <= around[-1] and b >= around[0]]
            outside = [
                edit
                for edit, first, _ in hunks
                if edit not in mine
                and not any(f[0] <= first <= f[-1] for f in functions)
            ]
            shared = (_imports(e, source.lines, mine) for e in outside)
            every = [*mine, *(e for e in shared if e is not None)]
            edits[finding] = tuple(sorted(every, key=lambda e: e.span.line))
    return edits


def _imports(edit: Edit, before: Sequence[str], mine: Sequence[Edit]) -> Edit | None:
    """What a finding needs of a hunk outside of functions: all, if it is no imports."""
    span = edit.span
    old = list(before[span.line - 1 : span.end_line - 1])
    old_names, new_names = bound_names(old), bound_names(edit.text.splitlines())
    if old_names is None or new_names is None:
        return edit
    words = {w for e in mine for w in re.findall(r"\w+", e.text)}
    wanted = (new_names - old_names) & words
    lines = [
        line
        for line in edit.text.splitlines()
        if line not in old
        and (not line.strip() or wanted & (bound_names([line]) or set()))
    ]
    if not any(line.strip() for line in lines):
        return None
    start = Span(span.line, 1, span.line, 1)
    return Edit(start, "".join(f"{line}\n" for line in lines))


def bound_names(lines: Sequence[str]) -> set[str] | None:
    """The names that lines of imports bind; None if they are more than imports."""
    try:
        tree = ast.parse("\n".join(lines))
    except SyntaxError:
        return None
    if not all(isinstance(s, ast.Import | ast.ImportFrom) for s in tree.body):
        return None
    return {
        a.asname or a.name.partition(".")[0]
        for s in tree.body
        if isinstance(s, ast.Import | ast.ImportFrom)
        for a in s.names
    }


def _hunks(
    before: Sequence[str], after: Sequence[str]
) -> Iterator[tuple[Edit, int, int]]:
    """The edits that lead from one to the other, each with its first and last line."""
    # What is the same at both ends needs no search, which is quadratic.
    skip = _common(before, after)
    tail = _common(before[skip:][::-1], after[skip:][::-1])
    old, new = before[skip : len(before) - tail], after[skip : len(after) - tail]
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
    for kind, *ends in matcher.get_opcodes():
        if kind == "equal":
            continue
        start, end, new_start, new_end = (at + skip for at in ends)
        text = "".join(f"{line}\n" for line in after[new_start:new_end])
        if end < len(before):
            span = Span(start + 1, 1, end + 1, 1)
        else:
            span = Span(start + 1, 1, end, len(before[-1]) + 1)
            text = text.removesuffix("\n")
        yield Edit(span, text), start + 1, max(end, start + 1)


def _common(one: Sequence[str], other: Sequence[str]) -> int:
    """How many lines are the same from the start."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (a, b) in pairs if a != b), min(len(one), len(other)))


def _functions(tree: ast.Module) -> list[range]:
    """The lines of every function and its decorators, outer ones first."""
    return [
        range(
            min([node.lineno, *(d.lineno for d in node.decorator_list)]),
            (node.end_lineno or node.lineno) + 1,
        )
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    ]


def _around(span: Span, functions: Sequence[range]) -> range:
    """The outermost function that holds the line, or the lines themselves."""
    lines = range(span.line, span.end_line + 1)
    return next((f for f in functions if f[0] <= span.line <= f[-1]), lines)
