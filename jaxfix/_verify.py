"""`apply --verify`: only the fixes that validation proves equal."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TypeAlias

from jaxfix import _interpreter
from jaxfix._analysis.suppress import UNUSED
from jaxfix._api import Project, outermost, preview
from jaxfix._report.result import FileText, Report
from jaxfix._validation import commands, harness
from jaxfix._validation.verdict import Target, Verdict

# What is called with the number of verdicts to come, and with each of them.
Watch: TypeAlias = tuple[Callable[[int], None], Callable[[Verdict], None]]


def verify(project: Project, watch: Watch) -> tuple[Report, tuple[str, ...]]:
    """A preview with the proved fixes alone, and what was held back and why.

    What is left after a fix is held back is another program, so it is validated again
    until all of it is proved.

    Args:
      project: whose fixes.
      watch: for a progress bar.
    """
    held: dict[tuple[str, str], str] = {}
    while True:
        report = preview(replace(project, held=frozenset(held)))
        found = _unproved(project, report, watch)
        if not found.keys() - held.keys():
            return report, tuple(f"{p}:{f}: {why}" for (p, f), why in held.items())
        held |= found


def _unproved(
    project: Project, report: Report, watch: Watch
) -> dict[tuple[str, str], str]:
    """The functions, by path and name, whose fixes have no proof; and the reason."""
    fixed = [f for f in report.fixed if f.rule != UNUSED]
    if not fixed:
        return {}
    root = project.config.root
    verdicts = _validate(project, report.files, watch)
    unproved = {}
    for finding in fixed:
        name = outermost(finding)
        verdict = verdicts.get(Target(_inside(finding.path, root), name))
        if verdict is None:
            unproved[finding.path, name] = "not in a function that can be compared"
        elif not verdict.kind.is_proof:
            unproved[finding.path, name] = _reason(verdict)
    return unproved or _of_neighbours(report, verdicts, root)


def _of_neighbours(
    report: Report, verdicts: Mapping[Target, Verdict], root: Path
) -> dict[tuple[str, str], str]:
    """Functions whose fixes changed another function, which is not proved.

    Which of the fixes did it is not known, so that all in reach are held back.
    """
    unproved = {}
    for target, verdict in verdicts.items():
        if verdict.kind.is_proof:
            continue
        for change in report.changes:
            reach = {change.path, *change.together}
            if target.path not in {_inside(path, root) for path in reach}:
                continue
            for finding in report.fixed:
                if finding.path in reach and finding.rule != UNUSED:
                    reason = f"it changes {target}, which is not proved"
                    unproved[finding.path, outermost(finding)] = reason
    return unproved


def _validate(
    project: Project, files: tuple[FileText, ...], watch: Watch
) -> Mapping[Target, Verdict]:
    """The verdict of every function that the files change; of several, the worst."""
    config = project.config
    jobs = config.jobs or os.cpu_count() or 1
    options = harness.Options(python=_interpreter.interpreter(config), jobs=jobs)
    request = commands.Request(
        root=config.root,
        changes={
            _inside(file.path, config.root): file.after
            for file in files
            if file.path.endswith((".py", ".pyi")) and _is_utf8(file.after)
        },
        earlier=None,
        only=(),
        given=config.inputs,
        options=commands.configured_options(options, config.validate, "validate"),
    )
    on_start, on_verdict = watch
    proof = commands.prove(request, on_start=on_start, on_verdict=on_verdict)
    ordered = sorted(proof.verdicts, key=lambda verdict: not verdict.kind.is_proof)
    return {verdict.target: verdict for verdict in ordered}


def _inside(path: str, root: Path) -> str:
    return Path(os.path.relpath(path, root)).as_posix()


def _is_utf8(text: str) -> bool:
    return not any("\udc80" <= c <= "\udcff" for c in text)


def _reason(verdict: Verdict) -> str:
    return f"{verdict.kind}: {verdict.reason}" if verdict.reason else str(verdict.kind)
