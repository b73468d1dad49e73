"""Run random programs before and after `jaxfix`, and judge what came of them.

The oracle is what a program's own `main()` returns eagerly, before any fix.
"""

from __future__ import annotations

import ast
import collections
import enum
import json
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from .generate import Program
from .worker import Outcome, Runner

TOOL = (sys.executable, "-m", "jaxfix")
APPLY = ("apply", "--unsafe-fixes")
# What one run of jaxfix may take, and what each file adds. Generous: a busy machine is
# no fault, and only a run without an end must be stopped.
START_LIMIT_S = 120.0
FILE_LIMIT_S = 5.0
TOLERANCE = 1e-4
# XLA may keep more bits than float16 has between two operations.
HALF_TOLERANCE = 2e-3
# What a fault that was not fixed may raise, once another is out of its way.
TRACER_ERRORS = frozenset(
    {
        "TracerBoolConversionError",
        "TracerIntegerConversionError",
        "TracerArrayConversionError",
        "ConcretizationTypeError",
        "NonConcreteBooleanIndexError",
    }
)
ORDER_OF_KINDS = "biufc"
FLOATING = ORDER_OF_KINDS.index("f")


class Verdict(enum.StrEnum):
    """What became of a program, from the best to the worst."""

    EQUAL = "converted, equal"
    NOTHING = "nothing to do"
    REFUSED = "refused"
    PARTLY = "converted in part"
    DROPPED = "does not run eagerly"
    MISSED = "fault not found"
    FALSE_FINDING = "false finding"
    UNSTABLE = "second apply changes"
    FAILED = "jaxfix failed"
    RAISES = "raises after the fix"
    TOUCHED = "correct, and changed"
    INVALID = "invalid output"
    WRONG = "WRONG VALUE"


BAD = frozenset(Verdict) - {
    Verdict.EQUAL,
    Verdict.NOTHING,
    Verdict.REFUSED,
    Verdict.PARTLY,
    Verdict.DROPPED,
}


@dataclass(frozen=True, slots=True)
class Judged:
    """A program and its verdict; `reasons` are those for which fixes were refused."""

    program: Program
    verdict: Verdict
    detail: str = ""
    reasons: tuple[str, ...] = ()
    after: str = ""


@dataclass(frozen=True, slots=True)
class ToolReport:
    """What jaxfix said about one file, and what it made of it."""

    findings: tuple[dict[str, Any], ...]
    errors: tuple[str, ...]
    after: str
    again: str

    @property
    def reasons(self) -> tuple[str, ...]:
        return tuple(f["not_fixed"] for f in self.findings if f["not_fixed"])


class ToolError(Exception):
    """jaxfix itself ended in a way that its contract does not allow."""


def run_tool(
    args: Sequence[str], *, folder: Path, tool: Sequence[str] = TOOL
) -> dict[str, Any]:
    """Run jaxfix in `folder` and return its JSON report."""
    limit_s = START_LIMIT_S + FILE_LIMIT_S * len(list(folder.glob("*.py")))
    try:
        done = subprocess.run(
            [*tool, *args, "--output-format", "json", "."],
            cwd=folder,
            capture_output=True,
            text=True,
            stdin=subprocess.DEVNULL,
            check=False,
            timeout=limit_s,
        )
    except subprocess.TimeoutExpired as error:
        raise ToolError(f"{' '.join(args)}: no end in {limit_s:.0f} s") from error
    if done.returncode not in (0, 1, 3):
        raise ToolError(
            f"{' '.join(args)}: exit {done.returncode}\n{done.stderr[-2000:]}"
        )
    try:
        report: dict[str, Any] = json.loads(done.stdout)
    except json.JSONDecodeError as error:
        raise ToolError(f"{' '.join(args)}: no JSON\n{done.stderr[-2000:]}") from error
    return report


def by_file(entries: Iterable[dict[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    grouped = collections.defaultdict(list)
    for entry in entries:
        grouped[Path(entry["path"]).name].append(entry)
    return grouped


def ask_jaxfix(
    sources: dict[str, str], folder: Path, *, tool: Sequence[str] = TOOL
) -> dict[str, ToolReport]:
    """Check and fix each source, by name; `folder` holds them before and after.

    The files are `folder/before/NAME.py` and `folder/after/NAME.py`. Where jaxfix ends
    badly, the sources are halved until the one that it fails on is alone.
    """
    try:
        return ask_at_once(sources, folder, tool=tool)
    except ToolError as error:
        for name in ("before", "after", "again"):
            shutil.rmtree(folder / name, ignore_errors=True)
        names = list(sources)
        if len(names) == 1:
            return {names[0]: failed_on(names[0], sources[names[0]], folder, error)}
    middle = len(names) // 2
    reports: dict[str, ToolReport] = {}
    for half in (names[:middle], names[middle:]):
        with tempfile.TemporaryDirectory() as scratch:
            part = {name: sources[name] for name in half}
            reports |= ask_jaxfix(part, Path(scratch), tool=tool)
            shutil.copytree(scratch, folder, dirs_exist_ok=True)
    return reports


def failed_on(name: str, source: str, folder: Path, error: ToolError) -> ToolReport:
    for place in ("before", "after"):
        (folder / place).mkdir()
        (folder / place / f"{name}.py").write_text(source)
    return ToolReport((), (str(error),), source, source)


def ask_at_once(
    sources: dict[str, str], folder: Path, *, tool: Sequence[str]
) -> dict[str, ToolReport]:
    before, after, again = (folder / name for name in ("before", "after", "again"))
    before.mkdir()
    for name, source in sources.items():
        (before / f"{name}.py").write_text(source)
    shutil.copytree(before, after)
    with ThreadPoolExecutor(2) as pool:
        checking = pool.submit(run_tool, ["check"], folder=before, tool=tool)
        applied = run_tool(APPLY, folder=after, tool=tool)
        shutil.copytree(after, again)
        run_tool(APPLY, folder=again, tool=tool)
        report = checking.result()
    findings = by_file(report["findings"])
    errors = by_file([*report["errors"], *applied["errors"]])
    return {
        name: ToolReport(
            tuple(findings[f"{name}.py"]),
            tuple(error["message"] for error in errors[f"{name}.py"]),
            (after / f"{name}.py").read_text(),
            (again / f"{name}.py").read_text(),
        )
        for name in sources
    }


def difference(got: Outcome, want: Outcome, tolerance: float = TOLERANCE) -> str:
    """Return "" where the results are equal up to promotion, else what differs.

    A result of a lower kind (bool for float), or of fewer bits where both are floating
    arrays, is a difference: Python keeps the kind, and JAX only promotes.
    """
    if len(got.leaves) != len(want.leaves):
        return f"{len(got.leaves)} results instead of {len(want.leaves)}"
    for index, (g, w) in enumerate(zip(got.leaves, want.leaves, strict=True)):
        if complaint := leaf_difference(g, w, tolerance):
            return f"result {index}: {complaint}"
    return ""


def leaf_difference(got: Any, want: Any, tolerance: float) -> str:
    if isinstance(got, str) or isinstance(want, str):
        same = isinstance(got, str) and isinstance(want, str) and got == want
        return "" if same else f"{got!r} instead of {want!r}"
    if got.shape != want.shape:
        return f"shape {got.shape} instead of {want.shape}"
    if kind_rank(got) < kind_rank(want):
        return f"{got.dtype} instead of {want.dtype}"
    if want.dtype == np.float32 and kind_rank(got) == FLOATING and got.itemsize < 4:
        return f"{got.dtype} instead of {want.dtype}"
    if np.float16 in (got.dtype, want.dtype):
        tolerance = max(tolerance, HALF_TOLERANCE)
    with np.errstate(all="ignore"):
        wide = got.astype(complex), want.astype(complex)
        if np.allclose(*wide, rtol=tolerance, atol=tolerance, equal_nan=True):
            return ""
    return f"{got.tolist()} instead of {want.tolist()}"


def kind_rank(array: Any) -> int:
    # numpy calls bfloat16 and its like "V", for void.
    return ORDER_OF_KINDS.find(array.dtype.kind.replace("V", "f"))


def is_worth_running(outcome: Outcome) -> bool:
    """Whether an eager run gave anything that a comparison can be made with."""
    numbers = [x for x in outcome.leaves if not isinstance(x, str)]
    return outcome.ok and (
        not numbers or not all(np.isnan(x.astype(complex)).all() for x in numbers)
    )


def judge(
    programs: Sequence[Program],
    runner: Runner,
    *,
    tool: Sequence[str] = TOOL,
    batch: int = 100,
) -> Iterable[Judged]:
    """Yield the verdict on each program; `batch` of them go to one run of jaxfix."""
    for start in range(0, len(programs), batch):
        with tempfile.TemporaryDirectory() as scratch:
            yield from judge_batch(
                programs[start : start + batch], runner, Path(scratch), tool=tool
            )


def judge_batch(
    programs: Sequence[Program], runner: Runner, folder: Path, *, tool: Sequence[str]
) -> Iterable[Judged]:
    sources = {program.name: program.source for program in programs}
    reports = ask_jaxfix(sources, folder, tool=tool)
    for program in programs:
        report = reports[program.name]
        verdict, detail = judge_one(program, report, runner, folder)
        yield Judged(program, verdict, detail, report.reasons, report.after)


def judge_one(
    program: Program, report: ToolReport, runner: Runner, folder: Path
) -> tuple[Verdict, str]:
    before = folder / "before" / f"{program.name}.py"
    after = folder / "after" / f"{program.name}.py"
    want = runner.run(before, eager=True)
    if not is_worth_running(want):
        return Verdict.DROPPED, f"{want.error}: {want.message}"
    if report.errors:
        return Verdict.FAILED, report.errors[0]
    if program.clean and report.after != program.source:
        return Verdict.TOUCHED, report.findings[0]["message"] if report.findings else ""
    if program.clean and report.findings:
        return Verdict.FALSE_FINDING, report.findings[0]["message"]
    if not parses(report.after):
        return Verdict.INVALID, ""
    if report.again != report.after:
        return Verdict.UNSTABLE, ""
    if report.after != program.source:
        got = runner.run(after, eager=False)
        if got.ok and not difference(got, want):
            return Verdict.EQUAL, ""
        return judge_changed(report, runner.run(before, eager=False), got, want)
    if report.findings:
        return Verdict.REFUSED, ""
    return judge_untouched(runner.run(before, eager=False), want)


def judge_untouched(plain: Outcome, want: Outcome) -> tuple[Verdict, str]:
    """Nothing was found: then it must work under jit as it stands."""
    if not plain.ok:
        return Verdict.MISSED, f"{plain.error}: {plain.message}"
    if complaint := difference(plain, want):
        return Verdict.MISSED, complaint
    return Verdict.NOTHING, ""


def judge_changed(
    report: ToolReport, plain: Outcome, got: Outcome, want: Outcome
) -> tuple[Verdict, str]:
    """The fixed program is not equal; it may be as it was, where a fix was refused."""
    if not got.ok:
        in_part = report.reasons and got.error in {plain.error, *TRACER_ERRORS}
        verdict = Verdict.PARTLY if in_part else Verdict.RAISES
        return verdict, f"{got.error}: {got.message}"
    complaint = difference(got, want)
    if report.reasons and plain.ok and not difference(got, plain):
        return Verdict.PARTLY, complaint
    return Verdict.WRONG, complaint


def parses(source: str) -> bool:
    try:
        ast.parse(source)
    except SyntaxError:
        return False
    return True


def runs_eagerly(program: Program, runner: Runner, folder: Path) -> Outcome:
    """Run `program` without jit, as a check of the generator itself."""
    path = folder / f"{program.name}.py"
    path.write_text(program.source)
    return runner.run(path, eager=True)


def without_names(reason: str) -> str:
    """A reason with the program's own names left out, to be counted."""
    return re.sub(r"\d+", "N", re.sub(r"`[^`]*`", "`...`", reason))


def table(judged: Sequence[Judged]) -> str:
    """Verdicts by kind, then the reasons for which fixes were refused, counted."""
    kinds = sorted({j.program.kind for j in judged})
    seen = [v for v in Verdict if any(j.verdict is v for j in judged)]
    count = collections.Counter((j.program.kind, j.verdict) for j in judged)
    lines = [f"{'':12s}" + "".join(f"  {verdict}" for verdict in seen)]
    for kind in [*kinds, "all"]:
        numbers = [
            count[kind, v] if kind != "all" else sum(count[k, v] for k in kinds)
            for v in seen
        ]
        widths = (len(verdict) + 2 for verdict in seen)
        cells = (f"{n or '.':>{w}}" for n, w in zip(numbers, widths, strict=True))
        lines.append(f"{kind:12s}{''.join(cells)}")
    reasons = collections.Counter(
        without_names(reason) for j in judged for reason in j.reasons
    )
    lines += ["", "refused because"]
    lines += [f"{number:6d}  {reason}" for reason, number in reasons.most_common()]
    return "\n".join(lines)
