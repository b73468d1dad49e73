"""One unified diff, that `git apply` and `patch -p1` take."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator
from pathlib import PurePath

from .result import FileText, Report

_NO_NEWLINE = "\\ No newline at end of file\n"
_PLAIN_NAME = re.compile(r'[^\x00-\x1f\x7f"\\]*')


def render(report: Report) -> str:
    """The files that change, each as the lines on disk, newlines and all."""
    return "".join(line for file in report.files for line in _diff(file))


def _diff(file: FileText) -> Iterator[str]:
    name = PurePath(file.path).as_posix().removeprefix("/")
    lines = difflib.unified_diff(
        _lines(file.before), _lines(file.after), _label("a", name), _label("b", name)
    )
    for line in lines:
        if line.endswith("\n"):
            yield line
        else:
            yield f"{line}\n"
            yield _NO_NEWLINE


def _lines(text: str) -> list[str]:
    """Cut at `\\n` alone, as git and patch do."""
    return re.findall(r"[^\n]*\n|[^\n]+", text)


def _label(side: str, name: str) -> str:
    """A file name as git writes it: quoted if odd, a tab after it if it has spaces."""
    if not _PLAIN_NAME.fullmatch(name):
        escaped = "".join(_escape(byte) for byte in f"{side}/{name}".encode())
        return f'"{escaped}"'
    return f"{side}/{name}\t" if " " in name else f"{side}/{name}"


def _escape(byte: int) -> str:
    if byte in b'"\\':
        return f"\\{byte:c}"
    return chr(byte) if 0x20 <= byte < 0x7F else f"\\{byte:03o}"
