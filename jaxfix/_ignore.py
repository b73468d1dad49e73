"""Patterns of file names: those of `.gitignore` files, and those of `exclude`.

Source: https://git-scm.com/docs/gitignore, section "Pattern format".
"""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import PurePosixPath


@dataclass(frozen=True, slots=True)
class Rule:
    """One line of a `.gitignore` file; `regex` is matched against a relative path."""

    regex: re.Pattern[str]
    is_exception: bool
    folders_only: bool


def parse(lines: Iterable[str]) -> tuple[Rule, ...]:
    """The rules of a `.gitignore` file, in order."""
    return tuple(rule for line in lines if (rule := _rule(line)) is not None)


def decide(rules: Sequence[Rule], path: str, *, is_folder: bool) -> bool | None:
    """Whether `path` is ignored; None where no rule speaks of it.

    Args:
      rules: of one file; the last one that matches counts.
      path: relative to the folder of that file, with slashes.
      is_folder: what `path` is.
    """
    for rule in reversed(rules):
        if (is_folder or not rule.folders_only) and rule.regex.fullmatch(path):
            return not rule.is_exception
    return None


def matches(patterns: Iterable[str], path: PurePosixPath) -> bool:
    """Whether a pattern of `exclude` matches `path` itself.

    A pattern without a slash matches a name at any depth; one with a slash matches from
    the project's root. `*` matches slashes too, and `/**/` matches a slash.
    """
    return any(
        _glob(spelled).match(path.name if _is_name(spelled) else str(path)) is not None
        for pattern in patterns
        for spelled in {pattern, pattern.replace("/**/", "/")}
    )


def _is_name(pattern: str) -> bool:
    return "/" not in pattern.rstrip("/")


@cache
def _glob(pattern: str) -> re.Pattern[str]:
    pattern = pattern.removeprefix("./").rstrip("/")
    anywhere = "(?:.*/)?" if pattern.startswith("**/") else ""
    return re.compile(anywhere + fnmatch.translate(pattern.removeprefix("**/")))


def _rule(line: str) -> Rule | None:
    pattern = line.rstrip("\r\n")
    # Spaces at the end count only behind a backslash.
    pattern = re.sub(r"(?<!\\)[ \t]+$", "", pattern)
    if not pattern or pattern.startswith("#"):
        return None
    is_exception = pattern.startswith("!")
    pattern = pattern.removeprefix("!")
    folders_only = pattern.endswith("/")
    pattern = pattern.rstrip("/")
    if not pattern:
        return None
    if "/" not in pattern:
        pattern = f"**/{pattern}"
    try:
        regex = re.compile(_translate(pattern.removeprefix("/")), re.DOTALL)
    except re.error:
        return None
    return Rule(regex, is_exception, folders_only)


_PIECE = re.compile(
    r"""(?P<folders>(?:\A|(?<=/))\*\*/) | (?P<tail>/\*\*\Z) | (?P<inner>/\*\*/)
      | (?P<all>(?:\A|(?<=/))\*\*\Z) | (?P<star>\*+) | (?P<any>\?)
      | \[(?P<not>[!^]?)(?P<set>\]?(?:\\.|[^\]\\])*)\] | \\?(?P<char>.)""",
    re.VERBOSE | re.DOTALL,
)
_MEANING = {
    "folders": "(?:.*/)?",
    "tail": "/.+",
    "all": ".+",
    "inner": "/(?:.*/)?",
    "star": "[^/]*",
    "any": "[^/]",
}


def _translate(pattern: str) -> str:
    """A `.gitignore` pattern as a regular expression."""
    return "".join(_piece(piece) for piece in _PIECE.finditer(pattern))


def _piece(piece: re.Match[str]) -> str:
    if piece["set"] is not None:
        members = piece["set"].replace("[", r"\[")
        members = rf"\{members}" if members.startswith(("]", "^")) else members
        return f"(?!/)[{'^' if piece['not'] else ''}{members}]"
    if piece["char"] is not None:
        return re.escape(piece["char"])
    return _MEANING[piece.lastgroup or ""]
