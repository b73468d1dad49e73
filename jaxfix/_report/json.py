"""One JSON object: the format that other programs read (version 1)."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from jaxfix._analysis.finding import Edit, FileError, Finding, Span

from .result import Report


def render(report: Report) -> str:
    """The findings, errors and counts as one object."""
    value = {
        "version": 1,
        "findings": [_finding(finding, report) for finding in report.findings],
        "errors": [_error(error) for error in report.errors],
        "summary": {
            "files": report.file_count,
            "findings": len(report.findings),
            "fixable": len(report.fixable(unsafe=True)),
            "fixed": len(report.fixed),
            "hidden": report.hidden,
        },
    }
    return json.dumps(value, indent=2) + "\n"


def _finding(finding: Finding, report: Report) -> dict[str, Any]:
    return {
        "path": finding.path,
        **_span(finding.span),
        "cell": finding.cell,
        "code": finding.rule,
        "name": finding.rule,
        "message": finding.message,
        "because": [
            {"path": step.path, "line": step.line, "cell": step.cell, "text": step.text}
            for step in finding.because
        ],
        "fix": _fix(finding, report.edits.get(finding, ())),
        "not_fixed": finding.not_fixed,
        "url": report.url(finding.rule),
    }


def _fix(finding: Finding, edits: Sequence[Edit]) -> dict[str, Any] | None:
    if finding.fix is None:
        return None
    return {
        "applicability": str(finding.fix.safety),
        "title": finding.fix.title,
        "edits": [{**_span(edit.span), "text": edit.text} for edit in edits],
    }


def _error(error: FileError) -> dict[str, Any]:
    return {
        "path": error.path,
        "line": error.line,
        "cell": error.cell,
        "message": error.message,
    }


def _span(span: Span) -> dict[str, int]:
    return {
        "line": span.line,
        "column": span.column,
        "end_line": span.end_line,
        "end_column": span.end_column,
    }
