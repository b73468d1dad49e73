"""SARIF 2.1.0, for code scanning.

Source: https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import PurePath
from typing import Any
from urllib.parse import quote

from jaxfix._analysis.finding import Evidence, FileError, Finding, Span

from .result import Report

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_LEVEL = "error"


def render(report: Report, *, version: str) -> str:
    """The run as a SARIF log.

    Args:
      report: what was found.
      version: of jaxfix.
    """
    index = {rule.name: at for at, rule in enumerate(report.rules)}
    run = {
        "tool": {"driver": _driver(report, version)},
        "columnKind": "unicodeCodePoints",
        "results": [_result(finding, report, index) for finding in report.findings],
        "invocations": [
            {
                "executionSuccessful": not report.errors,
                "toolExecutionNotifications": [_note(e) for e in report.errors],
            }
        ],
    }
    log = {"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}
    return json.dumps(log, indent=2) + "\n"


def _driver(report: Report, version: str) -> dict[str, Any]:
    return {
        "name": "jaxfix",
        "version": version,
        "rules": [
            {
                "id": rule.name,
                "shortDescription": {"text": rule.summary},
                "helpUri": rule.url,
                "defaultConfiguration": {"level": _LEVEL},
                "properties": {"fixSafety": str(rule.safety)},
            }
            for rule in report.rules
        ],
    }


def _result(
    finding: Finding, report: Report, index: Mapping[str, int]
) -> dict[str, Any]:
    result: dict[str, Any] = {
        "ruleId": finding.rule,
        "level": _LEVEL,
        "message": {"text": finding.message},
        "locations": [_location(finding.path, _region(finding))],
    }
    if finding.rule in index:
        result["ruleIndex"] = index[finding.rule]
    if finding.function:
        logical = {"fullyQualifiedName": finding.function, "kind": "function"}
        result["locations"][0]["logicalLocations"] = [logical]
    if finding.because:
        steps = [{"location": _step(step)} for step in finding.because]
        result["codeFlows"] = [{"threadFlows": [{"locations": steps}]}]
    if edits := report.edits.get(finding):
        replacements = [
            {
                "deletedRegion": _span(edit.span),
                "insertedContent": {"text": edit.text},
            }
            for edit in edits
        ]
        result["fixes"] = [
            {
                "description": {"text": finding.fix.title if finding.fix else ""},
                "artifactChanges": [
                    {
                        "artifactLocation": _artifact(finding.path),
                        "replacements": replacements,
                    }
                ],
            }
        ]
    properties = {"cell": finding.cell, "notFixed": finding.not_fixed}
    if kept := {k: v for k, v in properties.items() if v is not None}:
        result["properties"] = kept
    return result


def _step(step: Evidence) -> dict[str, Any]:
    region = {"startLine": step.line} if step.cell is None else None
    return {**_location(step.path, region), "message": {"text": step.text}}


def _note(error: FileError) -> dict[str, Any]:
    region = {"startLine": error.line} if error.cell is None else None
    return {
        "level": "error",
        "message": {"text": error.message},
        "locations": [_location(error.path, region)],
    }


def _region(finding: Finding) -> dict[str, int] | None:
    """Lines of a cell are no lines of the document, so a notebook has no region."""
    return _span(finding.span) if finding.cell is None else None


def _location(path: str, region: dict[str, int] | None) -> dict[str, Any]:
    physical: dict[str, Any] = {"artifactLocation": _artifact(path)}
    if region:
        physical["region"] = region
    return {"physicalLocation": physical}


def _artifact(path: str) -> dict[str, str]:
    # A name need not be text: its bytes count.
    return {"uri": quote(os.fsencode(PurePath(path).as_posix()))}


def _span(span: Span) -> dict[str, int]:
    return {
        "startLine": span.line,
        "startColumn": span.column,
        "endLine": span.end_line,
        "endColumn": span.end_column,
    }
