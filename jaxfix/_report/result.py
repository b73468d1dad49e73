"""What a run hands to the renderers: plain, frozen data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from jaxfix._analysis.finding import Change, Edit, FileError, Finding, Safety


@dataclass(frozen=True, slots=True)
class RuleText:
    """One line of the table of rules; `url` is what to read on the problem."""

    name: str
    summary: str
    safety: Safety
    url: str


@dataclass(frozen=True, slots=True)
class FileText:
    """A file before and after, as it stands on disk, newlines and all.

    Bytes that are not UTF-8 are kept as lone surrogates (`surrogateescape`).
    """

    path: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class Report:
    """The result of one run.

    Attributes:
      findings: what was found and is left, ordered by path, line and column. Where a
        fix was written, its finding is in `fixed` and not here.
      fixed: the findings whose fixes are in `changes`.
      errors: the files that could not be read, parsed or fixed.
      changes: the text of the files that change, for programs.
      files: the same as on disk, for a diff.
      file_count: how many files were looked at.
      hidden: how many findings the baseline and the comments hide.
      edits: for a finding with a fix, what the fix would do; filled in where a format
        asks for it.
      lines: the lines of each file that has a finding, for source frames.
      rules: the rules there are.
    """

    findings: tuple[Finding, ...] = ()
    fixed: tuple[Finding, ...] = ()
    errors: tuple[FileError, ...] = ()
    changes: tuple[Change, ...] = ()
    files: tuple[FileText, ...] = ()
    file_count: int = 0
    hidden: int = 0
    edits: Mapping[Finding, tuple[Edit, ...]] = field(default_factory=dict)
    lines: Mapping[tuple[str, int | None], tuple[str, ...]] = field(
        default_factory=dict
    )
    rules: tuple[RuleText, ...] = ()

    def url(self, rule: str) -> str | None:
        """What to read on the problem that a rule finds."""
        return next((r.url for r in self.rules if r.name == rule), None)

    def planned(self) -> Report:
        """The report before anything is fixed, with the edits of what would be."""
        every = sorted((*self.findings, *self.fixed), key=lambda f: f.sort_key)
        return replace(self, findings=tuple(every), fixed=())

    def fixable(self, *, unsafe: bool = False) -> tuple[Finding, ...]:
        """The findings that `apply` would mend; those with unsafe fixes if asked."""
        wanted = {Safety.SAFE, Safety.UNSAFE} if unsafe else {Safety.SAFE}
        return tuple(f for f in self.findings if f.fix and f.fix.safety in wanted)


def place(path: str, line: int, cell: int | None, column: int | None = None) -> str:
    """`train.py:41:5`, or `notes.ipynb:cell 3:41:5`."""
    parts = [path, *([f"cell {cell}"] if cell is not None else []), str(line)]
    return ":".join([*parts, *([str(column)] if column is not None else [])])


def plural(count: int, noun: str) -> str:
    """`1 file`, `2 files`."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
