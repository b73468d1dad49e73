"""A table in Markdown, for a pull request or a job summary."""

from __future__ import annotations

from jaxfix._analysis.finding import Finding

from .result import Report, place, plural


def render(report: Report) -> str:
    """The findings as a table, then the files that failed."""
    files = plural(report.file_count, "file")
    lines = [f"**jaxfix**: {plural(len(report.findings), 'finding')} in {files}", ""]
    if report.findings:
        lines += ["| where | rule | problem | fix |", "|---|---|---|---|"]
        lines += [_row(finding, report) for finding in report.findings]
        lines.append("")
    if report.errors:
        lines += ["Not read or not fixed:", ""]
        lines += [
            f"- `{place(e.path, e.line, e.cell)}`: {_cell(e.message)}"
            for e in report.errors
        ]
        lines.append("")
    return "\n".join(lines)


def _row(finding: Finding, report: Report) -> str:
    where = place(finding.path, finding.span.line, finding.cell)
    url = report.url(finding.rule)
    rule = f"[{finding.rule}]({url})" if url else finding.rule
    if finding.fix:
        fix = f"{finding.fix.title} ({finding.fix.safety})"
    else:
        fix = f"none: {finding.not_fixed}"
    because = "".join(f"<br>because: {_cell(step.text)}" for step in finding.because)
    problem = f"{_cell(finding.message)}{because}"
    return f"| `{_cell(where)}` | {rule} | {problem} | {_cell(fix)} |"


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")
