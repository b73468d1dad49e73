"""JUnit's XML, which most CI systems show as a table of tests.

Source: the schema of Jenkins' xUnit plugin (junit-10.xsd).
"""

from __future__ import annotations

import re
from itertools import groupby
from xml.sax.saxutils import escape, quoteattr

from jaxfix._analysis.finding import FileError, Finding

from .result import Report, place

# Characters that XML 1.0 cannot hold, not even escaped.
_FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def render(report: Report) -> str:
    """One suite a file, one failed case a finding; one passed case if all is well."""
    cases = [(f.path, _failure(f)) for f in report.findings]
    cases += [(e.path, _error(e)) for e in report.errors]
    suites = [
        _suite(path, [case for _, case in group])
        for path, group in groupby(sorted(cases, key=lambda c: c[0]), lambda c: c[0])
    ]
    if not suites:
        passed = '    <testcase name="no findings" classname="jaxfix"/>\n'
        suites = [_suite("jaxfix", [passed])]
    failures, errors = len(report.findings), len(report.errors)
    tests = max(failures + errors, 1)
    counts = f'tests="{tests}" failures="{failures}" errors="{errors}"'
    return (
        '<?xml version="1.0" encoding="utf-8"?>\n'
        f'<testsuites name="jaxfix" {counts}>\n{"".join(suites)}</testsuites>\n'
    )


def _suite(path: str, cases: list[str]) -> str:
    failures = sum("<failure " in case for case in cases)
    errors = sum("<error " in case for case in cases)
    counts = f'tests="{len(cases)}" failures="{failures}" errors="{errors}"'
    body = "".join(cases)
    return f"  <testsuite name={_attribute(path)} {counts}>\n{body}  </testsuite>\n"


def _failure(finding: Finding) -> str:
    where = place(finding.path, finding.span.line, finding.cell, finding.span.column)
    lines = [f"{where}: {finding.message}"]
    lines += [f"because: {step.text}" for step in finding.because]
    name = f"{finding.rule} ({where})"
    return _case(finding.path, name, "failure", finding.message, "\n".join(lines))


def _error(error: FileError) -> str:
    where = place(error.path, error.line, error.cell)
    return _case(error.path, where, "error", error.message, error.message)


def _case(path: str, name: str, kind: str, message: str, body: str) -> str:
    return (
        f"    <testcase name={_attribute(name)} classname={_attribute(path)}>\n"
        f"      <{kind} message={_attribute(message)}>{escape(_clean(body))}</{kind}>\n"
        "    </testcase>\n"
    )


def _attribute(text: str) -> str:
    return quoteattr(_clean(text))


def _clean(text: str) -> str:
    return _FORBIDDEN.sub("\ufffd", text)
