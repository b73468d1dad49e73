"""The findings that an old repository has already, so that only new ones are shown.

A finding is known by its file, rule, function and line of source, not by its line
number: code above it may move. Paths are relative to the baseline file.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TypeAlias

from jaxfix._analysis.finding import Finding
from jaxfix._errors import UsageError

_VERSION = 1
_KEYS = ("path", "rule", "function", "source")

Key: TypeAlias = tuple[str, str, str, str]


def read(file: Path) -> Counter[Key]:
    """How many findings of each key the file hides.

    Raises:
      UsageError: the file is missing or is no baseline.
    """
    try:
        data = json.loads(file.read_text("utf-8"))
    except OSError as error:
        raise UsageError(f"baseline: {file}: {error.strerror}") from None
    except ValueError as error:
        raise UsageError(f"baseline: {file}: invalid JSON: {error}") from None
    try:
        if data["version"] != _VERSION:
            raise UsageError(f"baseline: {file}: expected version {_VERSION}")
        return Counter({_key(entry): int(entry["count"]) for entry in data["findings"]})
    except (KeyError, TypeError, ValueError):
        raise UsageError(f"baseline: {file} is not a baseline of jaxfix") from None


def _key(entry: Mapping[str, object]) -> Key:
    path, rule, function, source = (str(entry[name]) for name in _KEYS)
    return (path, rule, function, source)


def spell(
    findings: Iterable[Finding], lines: Mapping[str, tuple[str, ...]], file: Path
) -> str:
    """The content of a baseline file that hides `findings`.

    Args:
      findings: where lines are those of the program (`Source.lines`).
      lines: of each file.
      file: where it will be written; paths are relative to it.
    """
    counts = Counter(key(finding, lines, file) for finding in findings)
    entries = [
        {**dict(zip(_KEYS, known, strict=True)), "count": count}
        for known, count in sorted(counts.items())
    ]
    return json.dumps({"version": _VERSION, "findings": entries}, indent=1) + "\n"


def key(finding: Finding, lines: Mapping[str, tuple[str, ...]], file: Path) -> Key:
    """What a finding is known by."""
    folder = file.absolute().parent
    path = Path(os.path.relpath(Path(finding.path).absolute(), folder)).as_posix()
    text = lines.get(finding.path, ())
    at = finding.span.line - 1
    source = text[at].strip() if at < len(text) else ""
    return (path, finding.rule, finding.function, source)


def hidden(
    findings: Iterable[Finding],
    known: Counter[Key],
    lines: Mapping[str, tuple[str, ...]],
    file: Path,
) -> frozenset[Finding]:
    """Those of `findings` that the baseline lists; at most as many as it lists."""
    left = Counter(known)
    found = set()
    for finding in findings:
        name = key(finding, lines, file)
        if left[name] > 0:
            left[name] -= 1
            found.add(finding)
    return frozenset(found)
