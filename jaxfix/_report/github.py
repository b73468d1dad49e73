"""Workflow commands, which GitHub Actions shows at the lines of a pull request.

Source: https://docs.github.com/actions/reference/workflow-commands-for-github-actions
"""

from __future__ import annotations

from jaxfix._analysis.finding import FileError, Finding

from .result import Report


def render(report: Report) -> str:
    """One `::error` command for each finding and each file that failed."""
    commands = [_finding(finding) for finding in report.findings]
    commands += [_error(error) for error in report.errors]
    return "".join(f"{command}\n" for command in commands)


def _finding(finding: Finding) -> str:
    span = finding.span
    place: dict[str, str | int] = {"file": finding.path, "line": span.line}
    message = f"{finding.path}:{span.line}:{span.column}: {finding.message}"
    if finding.cell is not None:
        # GitHub knows lines of the document only, not lines of a cell.
        del place["line"]
        message = f"cell {finding.cell}, line {span.line}: {finding.message}"
    elif span.end_line == span.line:
        place |= {"col": span.column, "endColumn": span.end_column}
    else:
        place |= {"endLine": span.end_line}
    return _command(place | {"title": f"jaxfix ({finding.rule})"}, message)


def _error(error: FileError) -> str:
    place: dict[str, str | int] = {"file": error.path, "line": error.line}
    return _command(place | {"title": "jaxfix"}, error.message)


def _command(properties: dict[str, str | int], message: str) -> str:
    listed = ",".join(f"{k}={_property(str(v))}" for k, v in properties.items())
    return f"::error {listed}::{_data(message)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
