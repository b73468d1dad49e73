"""Comments that switch findings off, and what becomes of those that switch off nothing.

    x = f(y)  # jaxfix: ignore[traced-if] a reason may follow
    x = f(y)  # jaxfix: ignore
    # jaxfix: ignore-file
    x = f(y)  # noqa: traced-if

A comment speaks for the findings that start on its line. At the first or last line of
a statement that spans lines it speaks for the whole statement, and on a line of its own
for the statement below.
"""

from __future__ import annotations

import difflib
import io
import re
import tokenize
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

from .finding import Edit, Finding, Fix, Safety, Span
from .source import Source, split_lines

UNUSED = "unused-ignore"

_HINT = re.compile(r"#\s*(?:jaxfix\s*:|noqa)", re.IGNORECASE)
_PRAGMA = re.compile(
    r"""\#\s*jaxfix\s*:\s*ignore(?P<file>-file)?(?![\w-])
        (?:\s*\[(?P<names>[^\]\#]*)(?P<close>\])?)?
        (?P<reason>(?:(?!\s\#).)*)""",
    re.VERBOSE,
)
_NOQA = re.compile(
    r"""\#\s*(?i:noqa)\b
        (?:\s*:\s*(?P<names>[A-Za-z][\w-]*(?:\s*,\s*[A-Za-z][\w-]*|\s+[A-Z]+[0-9]+)*))?""",
    re.VERBOSE,
)
_NAME = re.compile(r"[^\s,]+")
# After these tokens a logical line has not begun yet.
_BLANK = {
    tokenize.NL,
    tokenize.COMMENT,
    tokenize.INDENT,
    tokenize.DEDENT,
    tokenize.ENCODING,
}


@dataclass(frozen=True, slots=True)
class Directive:
    """One comment that switches findings off.

    Attributes:
      span: of the directive; the whole comment where nothing else is in it.
      text: the directive as it is written.
      names: the rules it names, with their columns; None for all rules.
      lines: first and last line that it speaks for; None for the whole file.
      is_noqa: written as `# noqa`; other tools read it too.
      is_closed: False if the closing bracket is missing.
    """

    span: Span
    text: str
    names: tuple[tuple[str, int], ...] | None
    lines: range | None
    is_noqa: bool = False
    is_closed: bool = True

    def covers(self, finding: Finding) -> bool:
        """Whether this comment switches `finding` off."""
        if not self.is_closed or not self.speaks_of(finding.rule):
            return False
        return self.lines is None or finding.span.line in self.lines

    def speaks_of(self, rule: str) -> bool:
        return self.names is None or any(name == rule for name, _ in self.names)


def directives(source: Source) -> tuple[Directive, ...]:
    """The directives of a file, in order."""
    if not _HINT.search(source.text):
        return ()
    comments, statements = _comments(source.text)
    found = []
    for token in comments:
        lines = _lines(token, statements)
        for match in _PRAGMA.finditer(token.string):
            found.append(_pragma(token, match, lines))
        for match in _NOQA.finditer(token.string):
            found.append(_noqa(token, match, lines))
    return tuple(found)


def unused(
    source: Source,
    findings: Sequence[Finding],
    *,
    ran: Collection[str],
    known: Collection[str],
) -> tuple[tuple[Finding, Edit | None], ...]:
    """The directives, or names in them, that switch off none of `findings`.

    Args:
      source: the file.
      findings: all findings of this file, before suppression.
      ran: the rules that ran; a comment on a rule that did not is not judged.
      known: the rules that there are.
    """
    found: list[tuple[Finding, Edit | None]] = []
    for directive in directives(source):
        if not directive.is_closed:
            message = f"`{directive.text}` has no closing bracket and ignores nothing"
            found.append((_finding(source, directive, message, None), None))
        elif idle := _idle(directive, findings, ran=ran, known=known):
            found.append(_report(source, directive, idle, known))
    return tuple(found)


def add_ignores(source: Source, findings: Iterable[Finding]) -> str:
    """The text with a comment for each of `findings`."""
    wanted: dict[int, list[str]] = {}
    comments, statements = _comments(source.text)
    spans = _string_lines(source.text)
    for finding in findings:
        line = finding.span.line
        if line in spans or source.lines[line - 1].endswith("\\"):
            line = next((s[-1] for s in statements if line in s), line)
        names = wanted.setdefault(line, [])
        if finding.rule not in names:
            names.append(finding.rule)
    present = {d.span.line: d for d in directives(source) if _can_grow(d)}
    lines = list(source.lines)
    for line, names in wanted.items():
        lines[line - 1] = _annotate(lines[line - 1], names, present.get(line))
    return "\n".join(lines)


def apply_edits(text: str, edits: Iterable[Edit]) -> str:
    """The text after `edits`, which do not overlap."""
    lines = list(split_lines(text))
    for edit in sorted(edits, key=lambda edit: edit.span, reverse=True):
        first, last = edit.span.line - 1, edit.span.end_line - 1
        head = lines[first][: edit.span.column - 1]
        tail = lines[last][edit.span.end_column - 1 :] if last < len(lines) else ""
        lines[first : last + 1] = split_lines(head + edit.text + tail)
    return "\n".join(lines)


def _comments(text: str) -> tuple[list[tokenize.TokenInfo], list[range]]:
    """The comments, and the lines of every statement or header."""
    comments, statements = [], []
    first = 0
    for token in _tokens(text):
        if token.type == tokenize.COMMENT:
            comments.append(token)
        if token.type == tokenize.NEWLINE:
            statements.append(range(first or token.start[0], token.start[0] + 1))
            first = 0
        elif token.type not in _BLANK and not first:
            first = token.start[0]
    return comments, statements


def _tokens(text: str) -> Iterator[tokenize.TokenInfo]:
    try:
        yield from tokenize.generate_tokens(io.StringIO(text).readline)
    except (tokenize.TokenError, SyntaxError):
        # The parser has accepted the text; what tokenize cannot read has no comments.
        return


def _string_lines(text: str) -> set[int]:
    """The lines that end inside a string, where a comment would be part of it."""
    return {
        line
        for token in _tokens(text)
        if token.type not in (tokenize.NEWLINE, tokenize.NL)
        for line in range(token.start[0], token.end[0])
    }


def _lines(token: tokenize.TokenInfo, statements: Sequence[range]) -> range:
    line = token.start[0]
    is_alone = not token.line[: token.start[1]].strip()
    here = range(line, line + 1 + is_alone)
    for statement in statements:
        if statement[0] <= line <= statement[-1]:
            return statement if line in (statement[0], statement[-1]) else here
        if statement[0] > line:
            return statement if is_alone else here
    return here


def _pragma(token: tokenize.TokenInfo, match: re.Match[str], lines: range) -> Directive:
    line, column = token.start[0], token.start[1] + 1
    return Directive(
        Span(line, column + match.start(), line, column + match.end()),
        match[0].rstrip(),
        _names(match, column),
        None if match["file"] else lines,
        is_closed=match["names"] is None or match["close"] is not None,
    )


def _noqa(token: tokenize.TokenInfo, match: re.Match[str], lines: range) -> Directive:
    line, column = token.start[0], token.start[1] + 1
    span = Span(line, column + match.start(), line, column + match.end())
    return Directive(span, match[0], _names(match, column), lines, is_noqa=True)


def _names(match: re.Match[str], column: int) -> tuple[tuple[str, int], ...] | None:
    if match["names"] is None:
        return None
    offset = column + match.start("names")
    return tuple((n[0], offset + n.start()) for n in _NAME.finditer(match["names"]))


def _idle(
    directive: Directive,
    findings: Sequence[Finding],
    *,
    ran: Collection[str],
    known: Collection[str],
) -> tuple[str, ...]:
    """The names in the directive that do nothing; `("",)` for one without names."""
    covered = {f.rule for f in findings if directive.covers(f)}
    if directive.names is None:
        # A bare noqa may be there for another tool, a bare ignore for any rule.
        is_judged = not directive.is_noqa and set(known) <= set(ran)
        return ("",) if is_judged and not covered else ()
    idle = []
    for name, _ in directive.names:
        is_foreign = directive.is_noqa and name not in known
        was_asked = name in ran or name not in known
        if name not in {*covered, UNUSED} and was_asked and not is_foreign:
            idle.append(name)
    return tuple(idle) if directive.names else ("",)


def _report(
    source: Source, directive: Directive, idle: tuple[str, ...], known: Collection[str]
) -> tuple[Finding, Edit]:
    names = [name for name, _ in directive.names or ()]
    keep = [name for name in names if name not in idle]
    listed = ", ".join(f"`{name}`" for name in idle)
    if keep:
        message = f"{listed} in `{directive.text}` ignores nothing"
        title = f"remove {listed}"
    else:
        message = f"`{directive.text}` ignores nothing"
        title = "remove the comment"
    for name in idle:
        if name and name not in known:
            near = difflib.get_close_matches(name, sorted(known), 1)
            hint = f"; did you mean `{near[0]}`?" if near else ""
            message += f": there is no rule `{name}`{hint}"
    edit = _remove_names(directive, keep) if keep else _remove(source, directive)
    return _finding(source, directive, message, Fix(title, Safety.SAFE)), edit


def _finding(
    source: Source, directive: Directive, message: str, fix: Fix | None
) -> Finding:
    reason = None if fix else "what it should ignore is not clear"
    return Finding(
        source.path, directive.span, UNUSED, message, (), fix, not_fixed=reason
    )


def _remove_names(directive: Directive, keep: Sequence[str]) -> Edit:
    assert directive.names, "a directive that keeps names has names"
    (_, start), (last, at) = directive.names[0], directive.names[-1]
    line = directive.span.line
    return Edit(Span(line, start, line, at + len(last)), ", ".join(keep))


def _remove(source: Source, directive: Directive) -> Edit:
    """Without the directive: the whole line, if there is nothing else on it."""
    span = directive.span
    text = source.lines[span.line - 1]
    head, tail = text[: span.column - 1], text[span.end_column - 1 :].strip()
    if not head.strip() and not tail:
        if span.line < len(source.lines):
            return Edit(Span(span.line, 1, span.line + 1, 1), "")
        return Edit(Span(span.line, 1, span.line, len(text) + 1), "")
    if tail:
        end = text.index(tail, span.end_column - 1) + 1
        gap = "" if tail.startswith("#") else "# "
        return Edit(Span(span.line, span.column, span.line, end), gap)
    column = len(head.rstrip()) + 1
    return Edit(Span(span.line, column, span.line, len(text) + 1), "")


def _can_grow(directive: Directive) -> bool:
    return (
        directive.lines is not None
        and bool(directive.names)
        and directive.is_closed
        and not directive.is_noqa
    )


def _annotate(line: str, names: Sequence[str], present: Directive | None) -> str:
    if present is None:
        return f"{line.rstrip()}  # jaxfix: ignore[{', '.join(names)}]"
    assert present.names, "only a directive that names rules can grow"
    last, column = present.names[-1]
    at = column - 1 + len(last)
    return line[:at] + "".join(f", {name}" for name in names) + line[at:]
