"""How many findings each rule has."""

from __future__ import annotations

import json
from collections import Counter

from .result import Report

LEGEND = "[*] has fixes: `jaxfix apply`, for some with `--unsafe-fixes`\n"


def render(report: Report, *, as_json: bool = False) -> str:
    """One line a rule, most findings first; `[*]` marks rules with fixes."""
    counts = Counter(finding.rule for finding in report.findings)
    fixable = Counter(finding.rule for finding in report.fixable(unsafe=True))
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    if as_json:
        rows = [
            {"code": rule, "name": rule, "count": count, "fixable": fixable[rule]}
            for rule, count in ordered
        ]
        return json.dumps(rows, indent=2) + "\n"
    width = max((len(str(count)) for _, count in ordered), default=0)
    lines = [
        f"{count:>{width}}  [{'*' if fixable[rule] else ' '}]  {rule}\n"
        for rule, count in ordered
    ]
    return "".join(lines) + (LEGEND if fixable else "")
