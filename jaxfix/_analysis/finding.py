"""What the stages hand to each other: plain, frozen, picklable data."""

from __future__ import annotations

import enum
from dataclasses import dataclass


class Safety(enum.StrEnum):
    """How far a fix may be trusted (contract.md, "Fixes")."""

    SAFE = "safe"
    UNSAFE = "unsafe"
    REPORT = "report"


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """A piece of a file. Lines and columns are 1-based; columns count code points."""

    line: int
    column: int
    end_line: int
    end_column: int


@dataclass(frozen=True, slots=True)
class Evidence:
    """One step of the reason chain from a transform to a value."""

    path: str
    line: int
    text: str
    cell: int | None = None


@dataclass(frozen=True, slots=True)
class Explained:
    """What is known of one expression, and the steps that lead there."""

    what: Evidence
    because: tuple[Evidence, ...] = ()


@dataclass(frozen=True, slots=True)
class Fix:
    """What a rule would do about a finding. `safety` is never `REPORT`."""

    title: str
    safety: Safety


@dataclass(frozen=True, slots=True)
class Finding:
    """One problem in one place.

    Exactly one of `fix` and `not_fixed` is set: the fix that `apply` would write, or
    the reason, in words, why there is none ("not fixed: ...").
    """

    path: str
    span: Span
    rule: str
    message: str
    because: tuple[Evidence, ...]
    fix: Fix | None
    not_fixed: str | None
    function: str = ""
    cell: int | None = None

    @property
    def sort_key(self) -> tuple[str, Span, str]:
        return (self.path, self.span, self.rule)


@dataclass(frozen=True, slots=True)
class FileError:
    """A file that could not be read, parsed or fixed; it stays as it was."""

    path: str
    line: int
    message: str
    cell: int | None = None


@dataclass(frozen=True, slots=True)
class Edit:
    """Replace the text of `span` by `text`."""

    span: Span
    text: str


@dataclass(frozen=True, slots=True)
class Change:
    """A file before and after the fixes, as text with `\\n` newlines.

    `functions` are the qualified names (`Class.method`, `outer.<locals>.inner` as
    Python spells them) of the functions that the fixes touch; `rules` the rules used;
    `together` the paths of the other files that a fix in this one also touches: all of
    them are written, or none.
    """

    path: str
    before: str
    after: str
    functions: tuple[str, ...]
    rules: tuple[str, ...]
    together: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Problem:
    """A rule's answer to "is this node a problem?": the message and the reasons.

    `standby`: only if no fix of another rule, for the same node, can be carried out.
    """

    message: str
    because: tuple[Evidence, ...] = ()
    standby: bool = False


class CannotFix(Exception):
    """A plan cannot be made. The text completes the sentence "not fixed: ..."."""
