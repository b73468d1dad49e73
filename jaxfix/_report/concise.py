"""One line a finding."""

from __future__ import annotations

from jaxfix._analysis.finding import Finding

from .result import Report, place


def render(report: Report) -> str:
    """The findings, one a line, as compilers print them."""
    return "".join(f"{_line(finding)}\n" for finding in report.findings)


def _line(finding: Finding) -> str:
    where = place(
        finding.path, finding.span.line, finding.cell, column=finding.span.column
    )
    fix = f" [{finding.fix.safety} fix]" if finding.fix else ""
    return f"{where}: {finding.rule}: {_one_line(finding.message)}{fix}"


def _one_line(text: str) -> str:
    return " ".join(text.split())
