"""From lines of a program to what a user sees: in a notebook, cells and their lines."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TypeAlias

from jaxfix._analysis.finding import Edit, Evidence, Explained, FileError, Finding
from jaxfix._analysis.source import Source

Sources: TypeAlias = Mapping[str, Source]


def finding_in_cell(sources: Sources, finding: Finding) -> Finding:
    """The finding, in lines of its cell if it is in a notebook."""
    because = tuple(_step_in_cell(sources, step) for step in finding.because)
    source = sources.get(finding.path)
    if source is None or source.notebook is None:
        return replace(finding, because=because)
    span = finding.span
    cell, line = source.notebook.place(span.line)
    span = replace(span, line=line, end_line=line + span.end_line - span.line)
    return replace(finding, because=because, span=span, cell=cell)


def _step_in_cell(sources: Sources, step: Evidence) -> Evidence:
    source = sources.get(step.path)
    if source is None or source.notebook is None:
        return step
    cell, line = source.notebook.place(step.line)
    return replace(step, cell=cell, line=line)


def explained_in_cell(sources: Sources, one: Explained) -> Explained:
    """The same, in lines of cells where it is in a notebook."""
    because = tuple(_step_in_cell(sources, step) for step in one.because)
    return Explained(_step_in_cell(sources, one.what), because)


def error_in_cell(sources: Sources, error: FileError) -> FileError:
    """The error, in lines of its cell if it is in a notebook."""
    source = sources.get(error.path)
    if source is None or source.notebook is None:
        return error
    cell, line = source.notebook.place(error.line)
    return replace(error, cell=cell, line=line)


def edits_in_cell(
    sources: Sources, finding: Finding, edits: tuple[Edit, ...]
) -> tuple[Edit, ...]:
    """The edits in lines of the finding's cell; none if they go beyond it."""
    notebook = sources[finding.path].notebook
    if notebook is None:
        return edits
    cell, line = notebook.place(finding.span.line)
    shift = finding.span.line - line
    if any(notebook.place(edit.span.line)[0] != cell for edit in edits):
        return ()
    return tuple(
        replace(
            edit,
            span=replace(
                edit.span,
                line=edit.span.line - shift,
                end_line=edit.span.end_line - shift,
            ),
        )
        for edit in edits
    )


def frames(
    sources: Sources, findings: Iterable[Finding]
) -> dict[tuple[str, int | None], tuple[str, ...]]:
    """The lines of every file or cell that has a finding, for source frames."""
    found: dict[tuple[str, int | None], tuple[str, ...]] = {}
    for finding in findings:
        source = sources.get(finding.path)
        if source is None:
            continue
        if source.notebook is None or finding.cell is None:
            found[finding.path, None] = source.lines
        else:
            starts = dict(source.notebook.cells)
            found[finding.path, finding.cell] = source.lines[starts[finding.cell] :]
    return found
