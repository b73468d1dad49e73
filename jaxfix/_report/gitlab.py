"""GitLab's code quality report.

Source: https://docs.gitlab.com/ci/testing/code_quality/#code-quality-report-format
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter

from jaxfix._analysis.finding import FileError, Finding

from .result import Report


def render(report: Report) -> str:
    """A JSON array with an entry for each finding and each file that failed."""
    seen: Counter[str] = Counter()
    entries = [_finding(finding, seen) for finding in report.findings]
    entries += [_error(error, seen) for error in report.errors]
    return json.dumps(entries, indent=2) + "\n"


def _finding(finding: Finding, seen: Counter[str]) -> dict[str, object]:
    # No line number: a finding that moved is the same finding.
    parts = (finding.path, finding.rule, finding.function, finding.message)
    return {
        "description": finding.message,
        "check_name": finding.rule,
        "fingerprint": _fingerprint(parts, seen),
        "severity": "major",
        "location": {
            "path": finding.path,
            "lines": {"begin": finding.span.line, "end": finding.span.end_line},
        },
    }


def _error(error: FileError, seen: Counter[str]) -> dict[str, object]:
    return {
        "description": error.message,
        "check_name": "error",
        "fingerprint": _fingerprint((error.path, error.message), seen),
        "severity": "blocker",
        "location": {"path": error.path, "lines": {"begin": error.line}},
    }


def _fingerprint(parts: tuple[str, ...], seen: Counter[str]) -> str:
    """A name for the entry; GitLab drops entries whose name it has seen."""
    key = "\0".join(parts)
    seen[key] += 1
    return hashlib.sha256(f"{key}\0{seen[key]}".encode("utf-8", "replace")).hexdigest()
