"""The stages in order, over paths; the only caller of all rooms."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

from jaxfix import _avals, _baseline, _cells, _engine, _files
from jaxfix._analysis import suppress
from jaxfix._analysis.finding import (
    Change,
    Edit,
    Explained,
    FileError,
    Finding,
    Safety,
    Span,
)
from jaxfix._analysis.settings import Settings
from jaxfix._analysis.source import Source, SourceError
from jaxfix._config import Config, load, nearest
from jaxfix._edits import edits_of
from jaxfix._errors import JaxfixError, UsageError
from jaxfix._garbage import by_hand
from jaxfix._report.result import FileText, Report, RuleText
from jaxfix._write import Replacement, WriteError, write_all

LISTED = "; `jaxfix rules` lists them"
_JAX_DOCS = "https://docs.jax.dev/"
_UNUSED_PAGE = """# unused-ignore

A comment that switches findings off, and there are none.

`# jaxfix: ignore[...]`, `# jaxfix: ignore-file[...]` and `# noqa: ...` with the name of
a rule are read. Where the rule ran and found nothing in the lines that the comment
speaks for, or where there is no such rule, the comment says what is not so.

## Safety

Safe: only the comment is removed, or the name in it.

## See

- https://docs.jax.dev/en/latest/control-flow.html
"""


@dataclass(frozen=True, slots=True)
class Skip:
    """Says of a finding whether it stays as it is.

    Picklable, since the engine may ask in other processes.

    Attributes:
      config: for `per-file-ignores`.
      directives: the suppression comments of each file.
      baseline: the findings that the baseline lists.
      held: functions (path and qualified name, outermost) that must not change.
    """

    config: Config
    directives: Mapping[str, tuple[suppress.Directive, ...]]
    baseline: frozenset[tuple[str, Span, str]] = frozenset()
    held: frozenset[tuple[str, str]] = frozenset()

    def __call__(self, finding: Finding) -> bool:
        return self.hides(finding) or (finding.path, outermost(finding)) in self.held

    def hides(self, finding: Finding) -> bool:
        """Whether it is not even shown."""
        return (
            finding.sort_key in self.baseline
            or self.config.is_ignored(finding.rule, finding.path)
            or any(d.covers(finding) for d in self.directives.get(finding.path, ()))
        )

    def hides_unused(self, finding: Finding) -> bool:
        """The same for a finding on a comment, which a bare comment does not hide."""
        return self.config.is_ignored(finding.rule, finding.path) or any(
            d.names is not None and d.covers(finding)
            for d in self.directives.get(finding.path, ())
        )


@dataclass(frozen=True)
class Project:
    """The files of a run, read.

    Attributes:
      config: what the run was told.
      sources: the files that parse, by path.
      errors: the others.
      file_count: how many there are.
      raw: the text that came from elsewhere (`open_text`).
      held: functions that must not change (`Skip.held`).
    """

    config: Config
    sources: Mapping[str, Source]
    errors: tuple[FileError, ...] = ()
    file_count: int = 0
    raw: bytes = b""
    held: frozenset[tuple[str, str]] = frozenset()

    @cached_property
    def rules(self) -> frozenset[str]:
        """The rules that run."""
        return self.config.rules(rule_names())

    @cached_property
    def directives(self) -> dict[str, tuple[suppress.Directive, ...]]:
        """The suppression comments of the files that have any."""
        every = ((path, suppress.directives(s)) for path, s in self.sources.items())
        return {path: found for path, found in every if found}

    @cached_property
    def lines(self) -> dict[str, tuple[str, ...]]:
        return {path: source.lines for path, source in self.sources.items()}

    def options(self, skip: Skip) -> _engine.EngineOptions:
        """What the engine is told."""
        config = self.config
        return _engine.EngineOptions(
            rules=self.rules - {suppress.UNUSED},
            settings=Settings(
                config.entry_points,
                dict(config.extra_transforms),
                config.static_calls,
                dict(config.prefer),
                config.jax_version,
                _avals.learnt(config),
            ),
            roots=_roots(config),
            skip=skip,
            jobs=config.jobs or os.cpu_count() or 1,
        )


@dataclass(frozen=True, slots=True)
class _Examined:
    """A run of the engine, judged: `findings` are all that nothing hides."""

    findings: tuple[Finding, ...]
    fixed: tuple[Finding, ...]
    changes: tuple[Change, ...]
    errors: tuple[FileError, ...]
    hidden: int
    unused_edits: Mapping[Finding, Edit] = field(default_factory=dict)


def outermost(finding: Finding) -> str:
    """The qualified name of the outermost function around a finding, or nothing."""
    return finding.function.split(".<locals>")[0]


def rule_names() -> tuple[str, ...]:
    """The rules that there are, those of the packs and our own."""
    return tuple(sorted((*_engine.rule_names(), suppress.UNUSED)))


def rule_page(name: str) -> str:
    """The manual page of a rule.

    Raises:
      UsageError: there is no such rule.
    """
    if name not in rule_names():
        hint = nearest(name, rule_names())
        raise UsageError(f"there is no rule `{name}`{hint or LISTED}")
    return _UNUSED_PAGE if name == suppress.UNUSED else _engine.rule_page(name)


def rule_table() -> tuple[RuleText, ...]:
    """The table of rules, by name."""
    ours = RuleText(
        suppress.UNUSED, _UNUSED_PAGE.split("\n")[2], Safety.SAFE, _JAX_DOCS
    )
    theirs = [
        RuleText(r.name, r.summary, r.safety, _url(_engine.rule_page(r.name)))
        for r in _engine.rule_table()
    ]
    return tuple(sorted((ours, *theirs), key=lambda rule: rule.name))


def open_project(paths: Sequence[str | Path], config: Config) -> Project:
    """Finds the files and reads them."""
    found = _files.discover(
        paths,
        root=config.root,
        exclude=config.exclude,
        force_exclude=config.force_exclude,
    )
    sources: dict[str, Source] = {}
    errors = list(found.errors)
    with by_hand():
        for path in found.files:
            try:
                sources[path] = Source.read(path)
            except SourceError as error:
                errors.append(error.error)
    return Project(config, sources, tuple(errors), len(found.files))


def open_text(name: str, raw: bytes, config: Config) -> Project:
    """A project of one file whose content comes from elsewhere."""
    path = _files.display(name)
    try:
        return Project(config, {path: Source.from_bytes(path, raw)}, (), 1, raw)
    except SourceError as error:
        return Project(config, {}, (error.error,), 1, raw)


def check(
    paths: Sequence[str | Path],
    config: Config | None = None,
    *,
    with_edits: bool = False,
) -> Report:
    """The findings; nothing is written.

    Args:
      paths: files and folders.
      config: that of the project which the paths are in, if None.
      with_edits: whether `Report.edits` is wanted; it costs as much as fixing.
    """
    project = open_project(paths, config or load(paths))
    return check_project(project, with_edits=with_edits)


def check_project(project: Project, *, with_edits: bool = False) -> Report:
    """`check` of a project that is open."""
    examined = _examine(project, Safety.UNSAFE if with_edits else None)
    edits: dict[Finding, tuple[Edit, ...]] = {
        f: (e,) for f, e in examined.unused_edits.items()
    }
    if with_edits:
        mended = [f for f in examined.fixed if f not in edits]
        edits |= edits_of(mended, examined.changes, project.sources)
    return _report(project, replace(examined, fixed=(), changes=()), edits)


def preview(project: Project) -> Report:
    """What fixing would give; nothing is written."""
    safety = Safety.UNSAFE if project.config.unsafe_fixes else Safety.SAFE
    examined = _mend_comments(project, _examine(project, safety), safety)
    texts, errors = _encode(project, examined.changes)
    examined = _without(examined, errors)
    kept = {change.path for change in examined.changes}
    left = tuple(f for f in examined.findings if f not in set(examined.fixed))
    edits = edits_of(examined.fixed, examined.changes, project.sources)
    report = _report(project, replace(examined, findings=left), edits)
    return replace(report, files=tuple(f for f in texts if f.path in kept))


def fix(paths: Sequence[str | Path], config: Config | None = None) -> Report:
    """Writes the fixes and says what it did.

    Args:
      paths: files and folders.
      config: that of the project which the paths are in, if None.
    """
    project = open_project(paths, config or load(paths))
    return now_left(project, write(preview(project)))


def write(report: Report) -> Report:
    """Writes the files of a preview; those that fail go to `errors`."""
    files = {file.path: file for file in report.files}
    errors: list[FileError] = []
    for group in _groups(report.changes):
        try:
            write_all(
                [
                    Replacement(p, _unshow(files[p].before), _unshow(files[p].after))
                    for p in group
                ]
            )
        except WriteError as error:
            errors.append(FileError(error.path, 1, error.reason))
            others = [path for path in group if path != error.path]
            errors += [_left_out(path, error.path) for path in others]
    failed = {error.path for error in errors}
    unfixed = tuple(f for f in report.fixed if f.path in failed)
    return replace(
        report,
        findings=_sorted((*report.findings, *unfixed)),
        fixed=tuple(f for f in report.fixed if f.path not in failed),
        changes=tuple(c for c in report.changes if c.path not in failed),
        files=tuple(f for f in report.files if f.path not in failed),
        errors=_sorted_errors((*report.errors, *errors)),
    )


def now_left(project: Project, report: Report) -> Report:
    """The report of what was written, with what is left where it now stands.

    A finding that only lies in files that stayed as they were is where it was.
    """
    written = {file.path for file in report.files}
    if not any(_places(finding) & written for finding in report.findings):
        return report
    try:
        fresh = {path: Source.read(path) for path in written}
    except SourceError:  # gone again: what was seen of it is all there is
        return report
    after = replace(project, sources={**project.sources, **fresh})
    now = preview(after).planned()
    return replace(
        report,
        findings=now.findings,
        lines=now.lines,
        hidden=now.hidden,
        edits=now.edits,
    )


def _places(finding: Finding) -> set[str]:
    """The files that a finding speaks of."""
    return {finding.path, *(evidence.path for evidence in finding.because)}


def add_ignores(project: Project) -> Report:
    """Writes a comment for every finding that nothing hides yet."""
    examined = _examine(project, None)
    wanted: dict[str, list[Finding]] = {}
    for finding in examined.findings:
        if finding.rule != suppress.UNUSED:
            wanted.setdefault(finding.path, []).append(finding)
    changes = []
    for path, findings in wanted.items():
        source = project.sources[path]
        after = suppress.add_ignores(source, findings)
        changes.append(Change(path, source.text, after, (), ()))
    texts, errors = _encode(project, changes)
    fixed = tuple(f for found in wanted.values() for f in found)
    done = replace(examined, fixed=fixed, changes=tuple(changes))
    done = _without(done, errors)
    left = tuple(f for f in done.findings if f not in set(done.fixed))
    report = _report(project, replace(done, findings=left), {})
    return write(replace(report, files=tuple(texts)))


def write_baseline(project: Project, file: Path) -> int:
    """Writes the findings as a baseline; says how many they are."""
    plain = replace(project, config=replace(project.config, baseline=None))
    findings = _examine(plain, None).findings
    file.write_text(_baseline.spell(findings, project.lines, file), "utf-8")
    return len(findings)


def why(
    path: str, line: int, name: str | None, config: Config, *, cell: int | None = None
) -> tuple[Explained, ...]:
    """The chain from a transform to each value, or why it is static.

    The whole project is read, since the transform may be in another file.

    Args:
      path: the file.
      line: a line of it; in a notebook, of the cell.
      name: a name on that line, or None for all of it.
      config: of the project.
      cell: the cell, in a notebook.

    Raises:
      JaxfixError: the file cannot be read.
      UsageError: it is not among the project's files, or has no such line.
    """
    shown = _files.display(path)
    project = open_project([config.root, path], config)
    if shown not in project.sources:
        for error in project.errors:
            if error.path == shown:
                raise JaxfixError(f"{shown}:{error.line}: {error.message}")
        raise UsageError(f"{shown}: is not among the project's files")
    source = project.sources[shown]
    count = len(source.lines)
    if source.notebook is not None:
        starts = dict(source.notebook.cells)
        if cell not in starts:
            raise UsageError(f"{shown}: expected FILE:CELL:LINE with a cell of code")
        line += starts[cell]
    if not 0 < line <= count:
        raise UsageError(f"{shown}: there is no line {line}; it has {count}")
    options = project.options(Skip(config, {}))
    sources = project.sources
    found = _engine.why(tuple(sources.values()), shown, line, name, options)
    return tuple(_cells.explained_in_cell(sources, one) for one in found)


def _examine(project: Project, safety: Safety | None) -> _Examined:
    """Runs the engine and says which findings count."""
    sources = tuple(project.sources.values())
    skip = _skip(project, sources)
    outcome = _engine.run(sources, project.options(skip), fix=safety)
    failed = {error.path for error in outcome.errors}
    unused = _unused(project, skip, outcome.findings, failed)
    counted = [f for f in outcome.findings if not skip.hides(f)]
    return _Examined(
        _sorted((*counted, *(finding for finding, _ in unused))),
        _sorted(outcome.fixed),
        outcome.changes,
        outcome.errors,
        len(outcome.findings) - len(counted),
        {finding: edit for finding, edit in unused if edit},
    )


def _skip(project: Project, sources: Sequence[Source]) -> Skip:
    skip = Skip(project.config, project.directives, held=project.held)
    file = project.config.baseline
    if file is None:
        return skip
    known = _baseline.read(file)
    findings = _engine.run(sources, project.options(skip), fix=None).findings
    hidden = _baseline.hidden(_sorted(findings), known, project.lines, file)
    return replace(skip, baseline=frozenset(f.sort_key for f in hidden))


def _unused(
    project: Project, skip: Skip, findings: Iterable[Finding], failed: set[str]
) -> list[tuple[Finding, Edit | None]]:
    if suppress.UNUSED not in project.rules:
        return []
    by_path: dict[str, list[Finding]] = {}
    for finding in findings:
        by_path.setdefault(finding.path, []).append(finding)
    unused = [
        (finding, edit)
        for path in project.directives
        if path not in failed
        for finding, edit in suppress.unused(
            project.sources[path],
            by_path.get(path, ()),
            ran=project.rules,
            known=rule_names(),
        )
        if not skip.hides_unused(finding)
    ]
    file = project.config.baseline
    if file is None or not unused:
        return unused
    listed = _sorted(finding for finding, _ in unused)
    hidden = _baseline.hidden(listed, _baseline.read(file), project.lines, file)
    return [(finding, edit) for finding, edit in unused if finding not in hidden]


def _mend_comments(project: Project, examined: _Examined, safety: Safety) -> _Examined:
    """With the comments removed that do nothing.

    They go first, and the engine runs again: its changes move lines, so that the places
    of the comments hold only before them.
    """
    if not examined.unused_edits:
        return examined
    mended = dict(project.sources)
    by_path: dict[str, list[Edit]] = {}
    for finding, edit in examined.unused_edits.items():
        by_path.setdefault(finding.path, []).append(edit)
    for path, listed in by_path.items():
        text = suppress.apply_edits(mended[path].text, listed)
        mended[path] = mended[path].with_text(text)
    changes = {
        path: Change(path, project.sources[path].text, mended[path].text, (), ())
        for path in by_path
    }
    if examined.changes:
        again = _examine(replace(project, sources=mended), safety)
        for change in again.changes:
            first = changes.get(change.path)
            changes[change.path] = (
                replace(change, before=first.before) if first else change
            )
    return replace(
        examined,
        fixed=_sorted((*examined.fixed, *examined.unused_edits)),
        changes=tuple(changes[path] for path in sorted(changes)),
    )


def _encode(
    project: Project, changes: Iterable[Change]
) -> tuple[list[FileText], list[FileError]]:
    """The changes as bytes; a file that cannot hold its new text is an error."""
    texts: list[FileText] = []
    errors: list[FileError] = []
    for change in changes:
        try:
            source = project.sources.get(change.path) or Source.read(change.path)
            raw = source.encode(change.after)
            if Source.from_bytes(change.path, raw).text != change.after:
                reason = "its encoding would change the new text"
                raise SourceError(FileError(change.path, 1, reason))
        except SourceError as error:
            reason = f"not fixed: after the fix, {error.error.message}"
            errors.append(FileError(change.path, 1, reason))
        else:
            texts.append(FileText(change.path, _show(source.raw), _show(raw)))
    return texts, errors


def _without(examined: _Examined, errors: Sequence[FileError]) -> _Examined:
    """Without the changes to files that failed, and those that belong to them."""
    if not errors:
        return examined
    failed = {error.path: error.path for error in errors}
    for group in _groups(examined.changes):
        cause = next((path for path in group if path in failed), None)
        if cause is not None:
            failed |= {path: cause for path in group if path not in failed}
    others = [_left_out(p, cause) for p, cause in failed.items() if p != cause]
    return replace(
        examined,
        fixed=tuple(f for f in examined.fixed if f.path not in failed),
        changes=tuple(c for c in examined.changes if c.path not in failed),
        errors=(*examined.errors, *errors, *others),
    )


def _groups(changes: Iterable[Change]) -> list[list[str]]:
    """The paths of the changes, those together that are written together."""
    groups: list[set[str]] = []
    paths = set()
    for change in changes:
        paths.add(change.path)
        merged = {change.path, *change.together}
        apart = [group for group in groups if not group & merged]
        merged.update(*(group for group in groups if group & merged))
        groups = [*apart, merged]
    return sorted(sorted(group & paths) for group in groups)


def _left_out(path: str, cause: str) -> FileError:
    return FileError(path, 1, f"not fixed: its fix belongs to one in {cause}")


def _report(
    project: Project,
    examined: _Examined,
    edits: Mapping[Finding, tuple[Edit, ...]],
) -> Report:
    """The result in the places that a user sees: cells, and lines of cells."""
    sources = project.sources
    every = (*examined.findings, *examined.fixed)
    shown = {finding: _cells.finding_in_cell(sources, finding) for finding in every}
    errors = (_cells.error_in_cell(sources, error) for error in examined.errors)
    return Report(
        findings=tuple(shown[f] for f in examined.findings),
        fixed=tuple(shown[f] for f in examined.fixed),
        errors=_sorted_errors((*project.errors, *errors)),
        changes=examined.changes,
        file_count=project.file_count,
        hidden=examined.hidden,
        edits={
            shown[f]: _cells.edits_in_cell(sources, f, listed)
            for f, listed in edits.items()
            if f in shown
        },
        lines=_cells.frames(sources, shown.values()),
        rules=rule_table(),
    )


def _roots(config: Config) -> tuple[str, ...]:
    """The folders that imports of the project start from, as paths are printed."""
    folders = (config.root / "src", config.root)
    return tuple(_files.display(folder) for folder in folders if folder.is_dir())


def _url(page: str) -> str:
    """The first link of a manual page."""
    link = re.search(r"https://[^\s)>]+", page)
    return link[0] if link else _JAX_DOCS


def _show(raw: bytes) -> str:
    return raw.decode("utf-8", "surrogateescape")


def _unshow(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def _sorted(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    return tuple(sorted(findings, key=lambda f: (f.path, f.cell or 0, f.span, f.rule)))


def _sorted_errors(errors: Iterable[FileError]) -> tuple[FileError, ...]:
    return tuple(sorted(errors, key=lambda e: (e.path, e.cell or 0, e.line, e.message)))
