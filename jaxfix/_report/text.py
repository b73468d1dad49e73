"""For a person at a terminal: source frame, reason chain, fix."""

from __future__ import annotations

from collections.abc import Iterator

from jaxfix._analysis.finding import Evidence, Finding

from .result import Report, place, plural

_BOLD, _RED, _BLUE, _GREEN, _DIM = "1", "1;31", "1;34", "32", "2"


def render(
    report: Report,
    *,
    color: bool = False,
    unsafe: bool = False,
    summary: bool = True,
) -> str:
    """The findings, each with its line of source, then a summary.

    Args:
      report: what was found.
      color: whether the terminal shows ANSI colors.
      unsafe: whether the user has asked for unsafe fixes.
      summary: whether to end with the counts.
    """
    blocks = [
        "\n".join(_block(finding, report, color=color)) + "\n"
        for finding in report.findings
    ]
    if summary:
        blocks.append(_summary(report, unsafe=unsafe))
    return "\n".join(blocks)


def _block(finding: Finding, report: Report, *, color: bool) -> Iterator[str]:
    where = place(
        finding.path, finding.span.line, finding.cell, column=finding.span.column
    )
    where, rule = _paint(where, _BOLD, color), _paint(finding.rule, _RED, color)
    yield f"{where}: {rule}: {finding.message}"
    yield from _frame(finding, report, color=color)
    for step in finding.because:
        yield f"    because: {step.text} {_paint(_at(step), _DIM, color)}"
    if finding.fix:
        fix = f"fix: {finding.fix.title} [{finding.fix.safety}]"
        yield f"    {_paint(fix, _GREEN, color)}"
    else:
        yield f"    not fixed: {finding.not_fixed}"
    yield f"    more: jaxfix explain {finding.rule}"


def _at(step: Evidence) -> str:
    return f"({place(step.path, step.line, step.cell)})"


def _frame(finding: Finding, report: Report, *, color: bool) -> Iterator[str]:
    lines = report.lines.get((finding.path, finding.cell), ())
    span = finding.span
    if not 0 < span.line <= len(lines):
        return
    text = lines[span.line - 1]
    end = span.end_column if span.end_line == span.line else len(text) + 1
    # Tabs stay tabs, so that the marks stand below what they mark.
    pad = "".join("\t" if c == "\t" else " " for c in text[: span.column - 1])
    marks = _paint("^" * max(end - span.column, 1), _RED, color)
    width = len(str(span.line))
    bar = _paint("|", _BLUE, color)
    yield f"    {' ' * width} {bar}"
    yield f"    {_paint(str(span.line), _BLUE, color)} {bar} {text.rstrip()}"
    yield f"    {' ' * width} {bar} {pad}{marks}"


def _summary(report: Report, *, unsafe: bool) -> str:
    files = plural(report.file_count, "file")
    parts = []
    if report.fixed:
        parts.append(f"fixed {plural(len(report.fixed), 'finding')}")
    if report.findings or not report.fixed:
        left = " left" if report.fixed else ""
        parts.append(f"{plural(len(report.findings), 'finding')}{left} in {files}")
    if report.hidden:
        parts.append(f"{report.hidden} hidden")
    if report.errors:
        parts.append(plural(len(report.errors), "error"))
    text = ", ".join(parts) + "\n"
    safe, every = len(report.fixable()), len(report.fixable(unsafe=True))
    if report.fixed and safe:
        text += f"{safe} held back: standard error says why\n"
    elif safe or (unsafe and every):
        flag = " --unsafe-fixes" if unsafe and every > safe else ""
        count = every if unsafe else safe
        text += f"{count} can be fixed with `jaxfix apply{flag}`\n"
    if not unsafe and every > safe:
        text += f"{every - safe} more with `jaxfix apply --unsafe-fixes`\n"
    return text


def _paint(text: str, code: str, color: bool) -> str:
    return f"\x1b[{code}m{text}\x1b[0m" if color else text
